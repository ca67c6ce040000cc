#if canImport(CErrandCurl)
    internal import Dispatch

    /// The files of one exchange, and the queue on which they are used: whoever waits for a disk waits there.
    ///
    /// The loop never does, so a slow disk holds up nobody but its own exchange. The calls of one exchange come one after
    /// another; they have a thread to themselves as long as they need it.
    struct CurlFiles: Sendable {
        /// The file that the response goes into.
        let download: BodyFile?
        /// The file that the request is sent from.
        let upload: RegularFile?
        private let queue: DispatchQueue
        /// Called before each use of the disk.
        private let delay: (@Sendable () -> Void)?

        /// Opens the files that an exchange needs.
        ///
        /// - Parameters:
        ///   - request: Its body may be a file.
        ///   - context: Its destination may be one.
        ///   - delay: Called before each use of the disk, which waits for it.
        /// - Returns: The files; `nil` where none is needed.
        /// - Throws: ``ErrandError`` when one cannot be opened, or as soon as the task is cancelled.
        static func open(
            for request: HTTPRequest, _ context: ExchangeContext, delay: (@Sendable () -> Void)?
        ) async throws(ErrandError) -> CurlFiles? {
            switch (request.body, context.destination) {
            case (.file, _), (_, .file): break
            default: return nil
            }
            let queue = DispatchQueue(label: "errand.curl.files", qos: .userInitiated)
            // A task that was cancelled before gets no files: they are removed once they are made.
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

        /// Does something that may wait for the disk, behind what was given before.
        func perform(_ work: @escaping @Sendable () -> Void) {
            self.queue.async(execute: work)
        }

        /// Comes before each of these uses of the disk.
        func waitForDisk() {
            self.delay?()
        }

        /// Removes the file of a response that nobody waits for.
        func discard() {
            guard let download else { return }
            self.perform {
                self.waitForDisk()
                download.discard()
            }
        }
    }
#endif
