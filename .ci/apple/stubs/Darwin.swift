// swift-format-ignore-file

// Darwin exports the module with the name of Linux's C library.
@_exported public import Glibc
