#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Endpoints that the compiler refuses, and what it says of them; `NearMissTests` has those that it does not see.
    ///
    /// The compiler runs twice for all of them, over the modules that these tests are built with.
    @Suite(
        "Endpoints that do not compile", .timeLimit(.minutes(60)), .paced,
        .enabled(
            if: TestProgram.areWanted && TestProgram(named: "swiftc") != nil,
            "ERRAND_PROGRAMS is not 1, or swiftc is not on the PATH"))
    struct WrongEndpointTests {
        /// A source, and what one of its errors has to contain; `nil` where there must be none.
        private struct Case {
            let members: String
            let error: String?
        }

        private static let undecodable = "the Response cannot be decoded: make it Decodable, and nonisolated"

        private static let cases = [
            Case(
                members:
                    "struct A: Endpoint { struct Response: Decodable, Sendable {}; let path: EndpointPath = \"a\" }",
                error: nil),
            Case(members: "struct A: Endpoint {}", error: "does not conform to protocol 'Endpoint'"),
            Case(
                members: "struct A: Endpoint { let path: String = \"a\" }",
                error: "does not conform to protocol 'Endpoint'"),
            Case(
                members: "struct A: Endpoint { struct Response: Sendable {}; let path: EndpointPath = \"a\" }",
                error: Self.undecodable),
            Case(
                members: "struct A: Endpoint { typealias Response = (Int, Int); let path: EndpointPath = \"a\" }",
                error: Self.undecodable),
            Case(
                members: """
                    struct A: Endpoint {
                        struct Response {}
                        let path: EndpointPath = "a"
                        func decode(_ response: HTTPResponse) throws -> Response { Response() }
                    }
                    """, error: nil),
            Case(
                members: """
                    struct A: Endpoint {
                        struct Response { let count: Int }
                        let path: EndpointPath = "a"
                        var decoder: ResponseDecoder<Response> {
                            ResponseDecoder.data.map { Response(count: $0.count) }
                        }
                    }
                    """, error: nil),
            Case(
                members: "struct A: Endpoint { let path: EndpointPath = \"a\"; let method = .post }",
                error: "reference to member 'post'"),
            Case(
                members: """
                    struct A: Endpoint {
                        let id: Int
                        let path: EndpointPath = "a"
                        var parameters: Parameters { ["id": self.id] }
                    }
                    """, error: "cannot convert value of type 'Int'"),
            Case(
                members: "final class A: Endpoint { let path: EndpointPath = \"a\"; var count = 0 }",
                error: "stored property 'count' of 'Sendable'-conforming class"),
        ]

        /// Those of a module whose default isolation is the main actor.
        private static let casesOfMainActor = [
            Case(
                members: """
                    nonisolated struct User: Decodable { let nick: String }
                    struct A: Endpoint { typealias Response = User; let path: EndpointPath = "a" }
                    """, error: nil),
            Case(
                members: """
                    struct A: Endpoint {
                        struct Response: Decodable { let nick: String }
                        let path: EndpointPath = "a"
                    }
                    """, error: nil),
            Case(
                members: """
                    struct User: Decodable { let nick: String }
                    struct A: Endpoint { typealias Response = User; let path: EndpointPath = "a" }
                    """, error: Self.undecodable),
            Case(
                members: """
                    struct A {}
                    extension A: Endpoint { var path: EndpointPath { "a" } }
                    """, error: "crosses into main actor-isolated code"),
        ]

        private let folder: TestFolder

        init() throws {
            self.folder = try TestFolder()
        }

        @Test func `each is refused for what is wrong with it`() async throws {
            try await self.check(Self.cases, options: [])
        }

        @Test func `a model on the main actor is refused where it is decoded`() async throws {
            try await self.check(
                Self.casesOfMainActor,
                options: ["-default-isolation", "MainActor", "-enable-upcoming-feature", "InferIsolatedConformances"])
        }

        private func check(_ cases: [Case], options: [String]) async throws {
            let errors = try await self.errors(of: cases.map(\.members), options: options)
            for (number, wrong) in cases.enumerated() {
                let found = errors[number].filter { !$0.hasSuffix("does not conform to protocol 'Endpoint'") }
                guard let error = wrong.error else {
                    #expect(errors[number] == [], "\(wrong.members)")
                    continue
                }
                #expect(errors[number].contains { $0.contains(error) }, "\(wrong.members): \(errors[number])")
                #expect(found.count <= 1, "\(wrong.members): \(found)")
            }
        }

        /// Compiles each source as a file, the names in which are its own, and returns the errors of each.
        private func errors(of sources: [String], options: [String]) async throws -> [[String]] {
            let files = try sources.enumerated().map { number, source in
                let file = self.folder.file("endpoint\(number).swift")
                // The files are one module: each has its own names.
                let own = source.replacing("struct A", with: "struct A\(number)")
                    .replacing("class A", with: "class A\(number)").replacing(
                        "extension A", with: "extension A\(number)"
                    )
                    .replacing("User", with: "User\(number)")
                try Data("import Errand\nimport Foundation\n\(own)\n".utf8).write(to: file)
                return file.path
            }
            let result = try await #require(TestProgram(named: "swiftc")).run(
                ["-typecheck", "-wmo", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm"]
                    + options + self.searchPaths() + files)
            let lines = (result.text + result.complaint).split(separator: "\n").map(String.init)
            return files.map { file in
                lines.filter { $0.hasPrefix("\(file):") && $0.contains(": error: ") }
                    .compactMap { $0.split(separator: ": error: ", maxSplits: 1).last.map(String.init) }
            }
        }

        /// Where the modules are that stand beside the program of the tests.
        private func searchPaths() throws -> [String] {
            let places = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.executableURL].compactMap(\.self)
            let folders = places.flatMap { place in
                sequence(first: place) { $0.path.count > 1 ? $0.deletingLastPathComponent() : nil }.prefix(5)
            }
            let isThere = { (path: String) in FileManager.default.fileExists(atPath: path) }
            let folder = try #require(folders.first { isThere($0.appending(path: "Modules/Errand.swiftmodule").path) })
            let maps = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .map { folder.appending(path: "\($0)/module.modulemap").path }.filter(isThere)
            return ["-I", folder.appending(path: "Modules").path]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        }
    }
#endif
