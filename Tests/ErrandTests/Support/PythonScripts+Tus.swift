#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Testing

    extension PythonScripts {
        static let tusComment: Comment =
            "ERRAND_PROGRAMS is not 1, or there is no python3 with the packages tuspyserver and uvicorn, as .ci/run makes one"

        private static let tusModules = ["tuspyserver", "uvicorn"]

        static func canServeTus() async -> Bool {
            guard TestProgram.areWanted else { return false }
            return await PythonServer.isPossible(importing: self.tusModules)
        }

        /// A server that speaks tus, at `files`; `digests` answers the SHA-256 of what has come of each upload.
        static func tus() async throws -> PythonServer {
            try await PythonServer(self.tusScript, importing: self.tusModules)
        }

        private static let tusScript = #"""
            import hashlib
            import os
            import socket
            import uvicorn
            from fastapi import FastAPI
            from tuspyserver import create_tus_router

            folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
            os.makedirs(folder)
            app = FastAPI()
            app.include_router(create_tus_router(prefix="/files", files_dir=folder))

            @app.get("/digests")
            def digests():
                contents = {}
                for name in os.listdir(folder):
                    if "." not in name:
                        with open(os.path.join(folder, name), "rb") as file:
                            contents[name] = hashlib.sha256(file.read()).hexdigest()
                return contents

            listener = socket.create_server(("127.0.0.1", 0))
            print("port", listener.getsockname()[1], flush=True)
            uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
            """#
    }
#endif
