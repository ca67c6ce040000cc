public import Testing

extension Tag {
    /// Suites with real parallelism, which are also run under the thread sanitizer.
    @Tag public static var threadSanitizer: Self
}
