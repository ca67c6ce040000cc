#if os(Linux) || os(macOS)
    /// Why a program of the system could not be used.
    package struct ProgramError: Error, Hashable, CustomStringConvertible {
        /// A sentence for a person.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }
#endif
