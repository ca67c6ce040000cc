#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #else
        internal import Foundation
    #endif

    extension HTTPResponse.Head {
        /// Creates the head of a Foundation response, with fields sorted by name; `nil` if it is not HTTP.
        init?(_ response: URLResponse) {
            guard let response = response as? HTTPURLResponse else { return nil }
            self.init(response)
        }
    }
#endif
