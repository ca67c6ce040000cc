/// A small list of public suffixes, for systems that have none at hand.
///
/// The rule, in this order:
///
/// 1. Every single label is a public suffix: `com`, `uk`, `localhost`.
/// 2. Two labels are one if the last is a country's and the first is what many countries keep for kinds of registrants:
///    `co.uk`, `com.au`. That holds for countries that do not, too: a site that has such a domain cannot set cookies
///    for all of it, only for its single hosts.
/// 3. So are two labels in countries that register only below a second label, and what the tables name: second labels
///    of single countries, and domains of some large hosts of other people's sites.
///
/// The table names what is common and is not complete: where it is used, a site under a suffix that it does not know
/// can set cookies that its neighbours there get as well.
package struct PublicSuffixTable: PublicSuffixList {
    /// Second labels that mean the same in most countries.
    private static let kinds: Set<Substring> = ["ac", "co", "com", "edu", "gob", "gov", "mil", "net", "org"]

    /// Countries that register only below second labels, whatever those are.
    private static let wildcards: Set<Substring> = ["bd", "ck", "er", "fk", "jm", "kh", "mm", "np", "pg"]

    /// What stands before a last label to make a public suffix, beside the kinds.
    private static let seconds: [Substring: Set<Substring>] = [
        "app": ["netlify", "vercel", "web"],
        "at": ["gv", "or"],
        "au": ["asn", "id"],
        "br": ["art", "blog", "eco", "ind", "inf", "jus", "leg", "tv", "wiki"],
        "cn": ["ah", "bj", "gd", "hk", "js", "sh", "tw", "zj"],
        "com": ["appspot", "blogspot", "firebaseapp", "githubusercontent", "herokuapp", "onrender", "uk", "us"],
        "dev": ["deno", "fly", "pages", "r2", "vercel", "workers"],
        "fr": ["asso", "gouv", "nom", "prd", "tm"],
        "goog": ["translate"],
        "hk": ["idv"],
        "hu": ["info"],
        "id": ["biz", "desa", "go", "my", "or", "sch", "web"],
        "il": ["idf", "k12", "muni"],
        "in": ["firm", "gen", "ind", "nic", "res"],
        "io": ["bitbucket", "github", "gitlab", "ngrok", "readthedocs"],
        "jp": ["ad", "ed", "go", "gr", "lg", "ne", "or"],
        "ke": ["go", "info", "me", "mobi", "ne", "or", "sc"],
        "kr": ["es", "go", "hs", "kg", "ms", "ne", "or", "pe", "re", "sc"],
        "me": ["glitch"],
        "net": ["azurestaticapps", "azurewebsites", "cloudapp", "cloudfront", "se", "uk"],
        "nz": ["cri", "geek", "gen", "govt", "health", "iwi", "kiwi", "maori", "parliament", "school"],
        "org": ["duckdns", "eu", "us"],
        "pl": ["biz", "info", "waw"],
        "sg": ["per"],
        "th": ["go", "in", "mi", "or"],
        "tr": ["av", "bbs", "bel", "biz", "dr", "gen", "info", "k12", "kep", "name", "pol", "tel", "tv", "web"],
        "tw": ["club", "ebiz", "game", "idv"],
        "ua": ["in", "kharkov", "kiev", "kyiv", "lviv", "odessa"],
        "uk": ["ltd", "me", "nhs", "plc", "police"],
        "us": ["dni", "fed", "isa", "kids", "nsn"],
        "vn": ["biz", "health", "info", "int", "name", "pro"],
        "za": ["agric", "alt", "grondar", "law", "ngo", "nic", "nis", "nom", "school", "tm", "web"],
    ]

    /// Public suffixes of three labels.
    private static let thirds: Set<String> = ["a.run.app", "compute.amazonaws.com", "s3.amazonaws.com"]

    package init() {}

    /// Tells whether a domain is a public suffix by the rule above.
    package func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        switch labels.count {
        case 0, 1: return true
        case 2:
            let (first, last) = (labels[0], labels[1])
            if last.utf8.count == 2, Self.kinds.contains(first) { return true }
            return Self.wildcards.contains(last) || Self.seconds[last]?.contains(first) == true
        case 3: return Self.thirds.contains(domain)
        default: return false
        }
    }
}
