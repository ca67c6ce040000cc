internal import Foundation

/// The identity of the calling thread.
enum CurrentThread {
    /// A number that is unique among the living threads.
    static var id: Int {
        #if canImport(Darwin)
            unsafe Int(bitPattern: pthread_self())
        #else
            Int(bitPattern: pthread_self())
        #endif
    }
}
