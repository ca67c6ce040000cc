internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Digests", .timeLimit(.minutes(60)), .paced)
struct DigestTests {
    // MARK: - SHA-256

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func `SHA-256 of what NIST publishes`(text: String, digest: String) {
        #expect(SHA256(of: text).description == digest)
        #expect(SHA256(of: Data(text.utf8)).description == digest)
    }

    /// Bytes of a pattern without a short period.
    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 / 7) }
    }

    @Test func `SHA-256 of each length around those of its blocks`() {
        // Computed by sha256sum: for each of the lengths 0...200 the digest of that many bytes, and then of all of
        // them.
        let digests = (0...200).flatMap { SHA256(of: Self.pattern($0)).bytes }
        #expect(SHA256(of: digests).description == "aad768de7c994c87a9d91cd13b4b9381daddf5483d91f49a01703c16e47b674b")
        for (length, digest) in Self.lengths {
            #expect(SHA256(of: Self.pattern(length)).description == digest, "\(length)")
        }
    }

    private static let lengths: [(Int, String)] = [
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (3, "0f8f7dd276f172ec541e9cfbb686de7730c82ba9e25a36b279f53cb6707af020"),
        (54, "4233547d506a1ef22fb7a9e893ef3be425fae89cd21834d1b8b4b10185558733"),
        (55, "0ba6bc782735d917a64064877efe5dc6a8b0cea5905b9342711bd4698f256d71"),
        (56, "9826be3a5ed7ea6362abf4735ea9fd3824d90de789a9e09d42a3788ce31752b2"),
        (57, "c3db42cd1a7fcfbee99494bbc973609bbf7ae150644c4a7c030d3f0bbad9ce7f"),
        (63, "5fe9fbf2af7de5db93fb42d0aba5e6435506d9a21370537e5668e630ec278b7c"),
        (64, "58affdb9b167c9d4a1259e484490f003a9edda5f01120f9dae26a447568d8453"),
        (65, "0c87cc9cf49d2f42248268eb12e2c45dbde9dba653e09557fa9da754cbbc5fd6"),
        (118, "096fb1137e5b86d7db6b26a7a57063048f75a0b5b822d6a741ebe771cabd5348"),
        (119, "e353ee1d28a1e87c41f1bc1692f38e1b56d4728bc37ce0a5d30a4f26fc91c5cb"),
        (120, "ba81f8eb292e888ad2a5f37a0f0dff5842cf3a2e62409fc647db478ade00644f"),
        (121, "600b7a67b5ab171110c632759ba47e220af5a9416239fd77fa624de73fffba7a"),
        (127, "01a38319088fb669a13a215aac92661da8a20de9b708d7c529f832141f7cb40e"),
        (128, "1bdc19682aac8a1218052891d74da5979fe905d1b88ca779c642dd8004c63492"),
        (129, "3799b279c98380a9c6fee5d2defbfe4672d97b8704208418b7fdb25245aef5b5"),
        (200, "e04c0e4220b04a42bfa3d8cfa6646687cb97761662a3a8aa490f72f6d9f0983f"),
    ]

    @Test func `SHA-256 digests are kept and read as bytes`() throws {
        let digest = SHA256(of: "a")
        #expect(digest.bytes.count == SHA256.size)
        #expect(SHA256(bytes: digest.bytes) == digest)
        #expect(SHA256(bytes: digest.bytes.dropLast()) == nil)
        #expect(SHA256(bytes: digest.bytes + [0]) == nil)
        #expect(SHA256(of: "b") != digest)
        #expect(Set([digest, SHA256(of: "a"), SHA256(of: "b")]).count == 2)
    }

    // MARK: - wyhash

    @Test(
        arguments: [
            ("", 0x0409_638E_E2BD_E459), ("a", 0xA841_2D09_1B5F_E0A9), ("abc", 0x32DD_92E4_B291_5153),
            ("message digest", 0x8619_1240_89A3_A16B), ("abcdefghijklmnopqrstuvwxyz", 0x7A43_AFB6_1D7F_5F40),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xFF42_329B_90E5_0D58),
            (String(repeating: "1234567890", count: 8), 0xC39C_AB13_B115_AAD3),
        ].enumerated().map { ($0, $1.0, $1.1) } as [(Int, String, UInt64)])
    func `wyhash of what its author publishes`(seed: Int, text: String, sum: UInt64) {
        let seed = UInt64(seed)
        #expect(WyHash.checksum(of: text.utf8, seed: seed) == sum)
        #expect(WyHash.checksum(of: Array(text.utf8).reversed().reversed(), seed: seed) == sum)
        #expect(WyHash.checksum(of: Data("xx\(text)".utf8).dropFirst(2), seed: seed) == sum)
    }

    @Test(
        arguments: [
            (16, 0xB4AA_4CDE_4BD1_D6B4), (17, 0x8569_A7CD_FB2C_F483), (48, 0xC5D5_424A_54D1_B9BD),
            (49, 0x08A2_F052_35BF_1C54), (96, 0x1490_0C6D_1650_9FA8), (97, 0x8CF2_9CF0_350D_711A),
            (1024, 0x9FEE_3B98_787C_7E7C), (4096, 0xE9E6_267A_A10F_E5DB),
        ] as [(Int, UInt64)])
    func `wyhash where its ways part, as the reference has it`(length: Int, sum: UInt64) {
        let text = String(repeating: "abcdefgh", count: 512)
        #expect(WyHash.checksum(of: text.utf8.prefix(length)) == sum)
    }

    @Test func `wyhash differs with each bit, at each length`() {
        for length in 0...150 {
            var bytes = Self.pattern(length)
            let sum = WyHash.checksum(of: bytes)
            #expect(WyHash.checksum(of: bytes, seed: 1) != sum)
            for bit in 0..<8 * length {
                bytes[bit / 8] ^= 1 << (bit % 8)
                #expect(WyHash.checksum(of: bytes) != sum)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
        }
    }

    // MARK: - MD5

    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
    func `MD5 of what RFC 1321 publishes`(text: String, digest: String) {
        #expect(MD5(of: text).description == digest)
    }

    @Test(arguments: [
        (55, "ef1772b6dff9a122358552954ad0df65"), (56, "3b0c8ac703f828b04c6c197006d17218"),
        (57, "652b906d60af96844ebd21b674f35e93"), (63, "b06521f39153d618550606be297466d5"),
        (64, "014842d480b571495a4a0363793f7367"), (65, "c743a45e0d2e6a95cb859adae0248435"),
        (119, "8a7bd0732ed6a28ce75f6dabc90e1613"), (120, "5f61c0ccad4cac44c75ff505e1f1e537"),
    ])
    func `MD5 around the end of a block`(length: Int, digest: String) {
        #expect(MD5(of: String(repeating: "a", count: length)).description == digest)
    }
}
