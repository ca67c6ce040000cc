#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The Public Suffix List of the system, as the library libpsl has it built in.
///
/// The library is loaded when the first list is made, and never unloaded, so its functions can be called for as long as
/// the process lives. It comes with libcurl on most systems with Linux; it is not looked for on others.
///
/// It is safe to use: the one function that takes pointers is called in one place, with pointers that are valid.
@safe package struct PublicSuffixLibrary: PublicSuffixList {
    /// `psl_builtin`: answers the list that the library was built with, or `nil` if it has none.
    private typealias Builtin = @convention(c) @Sendable () -> OpaquePointer?
    /// `psl_is_public_suffix2`: a list, a name that ends with a zero byte, and which parts of the list to look at.
    private typealias IsSuffix = @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt

    /// The suffixes of registries and those of companies, and every single label.
    private static let allSections: CInt = 3

    private let builtin: Builtin
    private let isSuffix: IsSuffix

    /// Loads the library; `nil` if it is not there, is another one, or has no list.
    package init?(named name: String = "libpsl.so.5") {
        #if canImport(Glibc) || canImport(Musl)
            // `dlopen` reads the name during the call only, and what it answers is looked at before it is used. Looking
            // up a name in a library that is open is always allowed.
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let builtin = unsafe dlsym(library, "psl_builtin"),
                let isSuffix = unsafe dlsym(library, "psl_is_public_suffix2")
            else { return nil }
            // Both are functions of libpsl's C interface, version 5, and these are their types there.
            unsafe self.builtin = unsafe unsafeBitCast(builtin, to: Builtin.self)
            unsafe self.isSuffix = unsafe unsafeBitCast(isSuffix, to: IsSuffix.self)
            guard unsafe self.builtin() != nil else { return nil }
        #else
            return nil
        #endif
    }

    /// Tells whether a domain is on the list.
    package func contains(_ domain: String) -> Bool {
        // The list is constant data of a library that is never unloaded, and may be read by many threads. The name is
        // lent for the call, which only reads it, and ends with a zero byte.
        unsafe domain.withCString { name in
            unsafe self.isSuffix(self.builtin(), name, Self.allSections) != 0
        }
    }
}
