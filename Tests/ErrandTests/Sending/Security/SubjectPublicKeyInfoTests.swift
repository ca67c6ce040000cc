internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("What pins are digests of", .timeLimit(.minutes(60)), .paced)
struct SubjectPublicKeyInfoTests {
    /// What OpenSSL puts in front of the bytes of a key, and how many of those there are.
    @Test(
        arguments: [
            (.rsa, 140, "30819f300d06092a864886f70d010101050003818d00"),
            (.rsa, 270, "30820122300d06092a864886f70d01010105000382010f00"),
            (.rsa, 398, "308201a2300d06092a864886f70d01010105000382018f00"),
            (.rsa, 526, "30820222300d06092a864886f70d01010105000382020f00"),
            (.p256, 65, "3059301306072a8648ce3d020106082a8648ce3d030107034200"),
            (.p384, 97, "3076301006072a8648ce3d020106052b81040022036200"),
            (.p521, 133, "30819b301006072a8648ce3d020106052b8104002303818600"),
        ] as [(SubjectPublicKeyInfo.Kind, Int, String)])
    func `begins as OpenSSL writes it`(kind: SubjectPublicKeyInfo.Kind, count: Int, start: String) {
        let key = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let der = SubjectPublicKeyInfo.der(kind, key)
        #expect(der.dropLast(count).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == start)
        #expect(der.suffix(count) == key)
    }
}
