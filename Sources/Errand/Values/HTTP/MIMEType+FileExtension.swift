extension MIMEType {
    /// Returns the media type for the extension of a file name, ignoring case; `application/octet-stream` if it is
    /// unknown.
    ///
    /// The table is Errand's own, so that the result is the same on every system.
    public static func ofFile(named name: String) -> MIMEType {
        guard let dot = name.unicodeScalars.lastIndex(of: ".") else { return .octetStream }
        return self.byExtension[name[name.index(after: dot)...].asciiLowercased()] ?? .octetStream
    }

    private static let byExtension: [String: MIMEType] = {
        var types: [String: MIMEType] = [:]
        for line in Self.table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let first = words.first, let type = MIMEType(String(first)) else { continue }
            for name in words.dropFirst() { types[String(name)] = type }
        }
        return types
    }()

    /// Each line has a type and its extensions.
    private static let table = """
        application/atom+xml atom
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz
        application/java-archive jar
        application/json json map
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot
        application/octet-stream bin dmg iso img exe dll
        application/ogg ogx
        application/pdf pdf
        application/pkcs10 p10
        application/pkcs7-mime p7m p7c
        application/pkcs7-signature p7s
        application/pkix-crl crl
        application/postscript ai eps ps
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.amazon.ebook azw
        application/vnd.android.package-archive apk
        application/vnd.apple.installer+xml mpkg
        application/vnd.apple.keynote key
        application/vnd.apple.mpegurl m3u8
        application/vnd.apple.numbers numbers
        application/vnd.apple.pages pages
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-excel xls
        application/vnd.ms-fontobject eot
        application/vnd.ms-powerpoint ppt
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3 db
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bzip2 bz2
        application/x-pem-file pem
        application/x-pkcs12 p12 pfx
        application/x-plist plist
        application/x-sh sh
        application/x-tar tar
        application/x-x509-ca-cert cer crt der
        application/x-xz xz
        application/xhtml+xml xhtml xht
        application/xml xml xsl xsd
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/flac flac
        audio/midi mid midi
        audio/mp4 m4a
        audio/mpeg mp3 mpga
        audio/ogg oga ogg opus
        audio/wav wav
        audio/webm weba
        audio/x-aiff aif aiff
        audio/x-caf caf
        audio/x-mpegurl m3u
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jpeg jpg jpeg jpe
        image/jxl jxl
        image/png png
        image/svg+xml svg svgz
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.microsoft.icon ico
        image/webp webp
        image/x-adobe-dng dng
        message/rfc822 eml mht mhtml
        model/gltf+json gltf
        model/gltf-binary glb
        model/stl stl
        model/vnd.usdz+zip usdz
        text/calendar ics
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs
        text/markdown md markdown
        text/plain txt text log conf ini swift c h
        text/tab-separated-values tsv
        text/vcard vcf
        text/vtt vtt
        video/3gpp 3gp
        video/3gpp2 3g2
        video/mp2t ts
        video/mp4 mp4 m4v
        video/mpeg mpeg mpg
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-matroska mkv
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
