#if os(Linux) || os(macOS)
    /// An error of a program of the system that could not be used.
    package struct ProgramError: Error, Hashable, CustomStringConvertible {
        /// A sentence that describes the error.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }
#endif
