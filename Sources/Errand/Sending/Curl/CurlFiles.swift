#if canImport(CErrandCurl)
    internal import Dispatch

    /// The files of one exchange, and the queue on which their disk operations block.
    ///
    /// The loop never waits for a disk, so a slow one delays only its own exchange. The operations of an exchange are
    /// serial, with a thread of their own as long as they need it.
    struct CurlFiles: Sendable {
        /// The file that the response is written to.
        let download: BodyFile?
        /// The file that the request is read from.
        let upload: RegularFile?
        private let queue: DispatchQueue
        /// Called before each disk operation.
        private let delay: (@Sendable () -> Void)?

        /// Opens the files that an exchange needs.
        ///
        /// - Parameters:
        ///   - request: The request, whose body may be a file.
        ///   - context: The context, whose destination may be a file.
        ///   - delay: Called before each disk operation, to delay it.
        /// - Returns: The files; `nil` if none is needed.
        /// - Throws: ``ErrandError`` if a file cannot be opened, or as soon as the task is cancelled.
        static func open(
            for request: HTTPRequest, _ context: ExchangeContext, delay: (@Sendable () -> Void)?
        ) async throws(ErrandError) -> CurlFiles? {
            switch (request.body, context.destination) {
            case (.file, _), (_, .file): break
            default: return nil
            }
            let queue = DispatchQueue(label: "errand.curl.files", qos: .userInitiated)
            // If the task is cancelled first, the files are removed once they are created.
            let result = await queue.performUnlessCancelled {
                delay?()
                return Result { () throws(ErrandError) in try CurlFiles(request, context, queue, delay) }
            }
            return try (result ?? .failure(.cancelled())).get()
        }

        private init(
            _ request: HTTPRequest, _ context: ExchangeContext, _ queue: DispatchQueue, _ delay: (@Sendable () -> Void)?
        ) throws(ErrandError) {
            self.upload = if case .file(let url) = request.body { try RegularFile(url) } else { nil }
            self.download =
                if case .file(let url) = context.destination {
                    BodyFile(url, keepsPart: context.keepsPartOfFile)
                } else { nil }
            try self.download?.open()
            self.queue = queue
            self.delay = delay
        }

        /// Performs a blocking operation after all earlier ones.
        func perform(_ work: @escaping @Sendable () -> Void) {
            self.queue.async(execute: work)
        }

        /// Called before each of these disk operations.
        func waitForDisk() {
            self.delay?()
        }

        /// Removes the file of an abandoned response.
        func discard() {
            guard let download else { return }
            self.perform {
                self.waitForDisk()
                download.discard()
            }
        }
    }
#endif
