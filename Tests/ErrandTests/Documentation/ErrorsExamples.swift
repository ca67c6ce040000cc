internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Errors".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ErrorsExamples {
        enum AppError: Error {
            case offline
            case signedOut
            case notFound
            case cancelled
            case broken(ErrandError)

            init(_ error: ErrandError) {
                self =
                    switch (error.code, error.context.status) {
                    case (.hostNotFound, _), (.cannotConnect, _), (.connectionLost, _), (.timedOut, _): .offline
                    case (.unacceptableStatus, .unauthorized?): .signedOut
                    case (.unacceptableStatus, .notFound?): .notFound
                    case (.cancelled, _): .cancelled
                    default: .broken(error)
                    }
            }
        }

        func images(_ names: [String], from client: Client) async throws -> [Data] {
            var images: [Data] = []
            for name in names {
                do {
                    images.append(try await client.send(GetImage(name: name)))
                } catch  where error.isClientError {
                    continue  // there is no such image
                } catch {
                    throw error
                }
            }
            return images
        }

        func text(of load: () async throws -> String, orElse other: String?) async throws -> String {
            do {
                return try await load()
            } catch let error as ErrandError {
                return other ?? error.message
            } catch {
                throw error
            }
        }

        @Test func `some errors are handled, and others passed on`() async throws {
            let client = Documented.makeClient()
            #expect(try await self.images(["sun", "missing", "moon"], from: client).count == 2)
            #expect(try await self.text(of: { "x" }, orElse: nil) == "x")
            #expect(try await self.text(of: { throw ErrandError(.timedOut, "late") }, orElse: nil) == "late")
            #expect(try await self.text(of: { throw ErrandError(.timedOut, "late") }, orElse: "old") == "old")
            await #expect(throws: FixtureError.self) {
                try await self.text(of: { throw FixtureError() }, orElse: nil)
            }
            await client.shutdown()
            await #expect(throws: ErrandError.self) { try await self.images(["sun"], from: client) }
        }

        @Test func `what an error knows`() async throws {
            let client = Documented.makeClient()

            let error = await #expect(throws: ErrandError.self) {
                try await client.send(GetImage(name: "missing"))
            }
            #expect(error?.context.endpointName == "GetImage")
            #expect(error?.context.url == "https://api.example.com/v1/images/missing")
            #expect(error?.context.attempts == 1)

            guard case .notFound? = error.map(AppError.init) else {
                Issue.record("not found, but \(String(describing: error))")
                return
            }
        }

        @Test func `what people read`() async throws {
            let client = Documented.makeClient()
            let error = try #require(
                await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "missing")) })
            let words = [error.errorDescription, error.recoverySuggestion]
            #expect(words == ["It was not found.", "Check the address."])
        }

        @Test func `types of errors in closures`() async throws {
            let client = Documented.makeClient()
            let load = { (name: String) async throws(ErrandError) in
                try await client.send(GetImage(name: name))
            }
            do throws(ErrandError) {
                _ = try await load("missing")
                Issue.record("there is no such image")
            } catch {
                #expect(error.isClientError)
            }
            let nick = await withTaskGroup(of: String.self) { group in
                group.addTask {
                    do throws(ErrandError) {
                        return try await client.send(GetUser(userID: "1")).nick
                    } catch {
                        return error.isConnectivity ? "offline" : "unknown"
                    }
                }
                return await group.next()
            }
            #expect(nick == "Ann")
        }
    }
}
