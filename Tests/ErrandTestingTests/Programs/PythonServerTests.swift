#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "PythonServer", .timeLimit(.minutes(60)), .paced,
        .enabled("ERRAND_PROGRAMS is not 1, or curl or python3 is not installed") {
            guard TestProgram.areWanted, TestProgram.curl != nil else { return false }
            return await PythonServer.isPossible()
        })
    struct PythonServerTests {
        /// Serves the folder that the script is in.
        private static let files = #"""
            import functools, http.server, os

            folder = os.path.dirname(os.path.abspath(__file__))
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """#

        private let curl = Curl()

        @Test func `answers from when it is there until it is stopped`() async throws {
            let server = try await PythonServer(Self.files)
            #expect(server.baseURL == "http://127.0.0.1:\(server.port)/")
            #expect(try await self.curl.get(server.baseURL + "server.py") == Self.files)
            #expect(try await self.curl.status(server.baseURL + "none") == "404")
            server.stop()
            #expect(server.complaint.contains("404"))
            #expect(try await self.curl.code(server.baseURL) == 7)
        }

        @Test func `says why it does not start`() async throws {
            for script in ["raise ValueError('broken')", "print('nothing')", "print('port none')"] {
                let error = await #expect(throws: ProgramError.self) { try await PythonServer(script) }
                #expect(error?.description.hasPrefix("the script did not start") == true)
                if script.contains("broken") { #expect(error?.description.contains("ValueError: broken") == true) }
            }
        }

        @Test func `says so when a module is missing`() async throws {
            let modules = ["json", "errand_none"]
            #expect(await PythonServer.isPossible(importing: ["json"]))
            #expect(await !PythonServer.isPossible(importing: modules))
            let error = await #expect(throws: ProgramError.self) {
                try await PythonServer(Self.files, importing: modules)
            }
            #expect(error?.description.contains("json, errand_none") == true)
        }
    }
#endif
