// swift-format-ignore-file

// Darwin is what the module with the name of Linux's C library has.
@_exported public import Glibc
