#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import Testing

    /// Sends requests with the `curl` program.
    struct Curl {
        /// Whether servers can be tried with it.
        static let isThere =
            TestProgram.areWanted && TestProgram.curl != nil && TestProgram.nginx != nil && TestProgram.openssl != nil
        static let comment: Comment = "ERRAND_PROGRAMS is not 1, or curl, nginx or openssl is not installed"

        /// Sends requests, and answers what the responses have for a body.
        func get(_ arguments: String...) async throws -> String {
            let result = try await self.run(arguments)
            #expect(result.status == 0, "\(result.complaint)")
            return result.text
        }

        /// Sends a request and answers its status.
        func status(_ arguments: String...) async throws -> String {
            try await self.run(["-o", "/dev/null", "-w", "%{http_code}"] + arguments).text
        }

        /// Sends a request and answers the exit code of the program: 35 and 56 stand for TLS, 60 for a certificate.
        func code(_ arguments: String...) async throws -> Int32 {
            try await self.run(arguments).status
        }

        private func run(_ arguments: [String]) async throws -> ProgramResult {
            try await #require(TestProgram.curl).run(["-q", "-sS"] + arguments)
        }
    }
#endif
