#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The Public Suffix List of the system, as built into the library libpsl.
///
/// The library is loaded for the first list, and never unloaded, so its functions stay valid as long as the process
/// runs. It comes with libcurl on most Linux systems, and is not used on others.
///
/// Safe: the only function that takes pointers is called in one place, with valid pointers.
@safe package struct PublicSuffixLibrary: PublicSuffixList {
    /// `psl_builtin`: returns the list that the library was built with, or `nil` if it has none.
    private typealias Builtin = @convention(c) @Sendable () -> OpaquePointer?
    /// `psl_is_public_suffix2`: takes a list, a zero-terminated name, and the sections of the list to search.
    private typealias IsSuffix = @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt

    /// The suffixes of registries and of companies, and every single label.
    private static let allSections: CInt = 3

    private let builtin: Builtin
    private let isSuffix: IsSuffix

    /// Loads the library; `nil` if it is missing, incompatible, or has no list.
    package init?(named name: String = "libpsl.so.5") {
        #if canImport(Glibc) || canImport(Musl)
            // `dlopen` reads the name only during the call, and its result is checked before use. Looking up a name in
            // an open library is always allowed.
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let builtin = unsafe dlsym(library, "psl_builtin"),
                let isSuffix = unsafe dlsym(library, "psl_is_public_suffix2")
            else { return nil }
            // Both are functions of libpsl's C interface, version 5, with these types.
            unsafe self.builtin = unsafe unsafeBitCast(builtin, to: Builtin.self)
            unsafe self.isSuffix = unsafe unsafeBitCast(isSuffix, to: IsSuffix.self)
            guard unsafe self.builtin() != nil else { return nil }
        #else
            return nil
        #endif
    }

    /// Returns true if a domain is on the list.
    package func contains(_ domain: String) -> Bool {
        // The list is constant data of a library that is never unloaded, and can be read by many threads. The name is
        // borrowed for the call, which only reads it, and is zero-terminated.
        unsafe domain.withCString { name in
            unsafe self.isSuffix(self.builtin(), name, Self.allSections) != 0
        }
    }
}
