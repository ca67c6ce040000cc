internal import Errand
internal import Synchronization

/// A call without a type of its own for the response.
struct GetAvatar: Endpoint {
    let name: String

    var path: EndpointPath { "avatars/\(self.name)" }
}

struct GetVersionedUser: VersionedEndpoint {
    typealias Response = User

    let id: String

    var path: EndpointPath { "users/\(self.id)" }
}

/// An endpoint of several calls.
enum UserCall: Endpoint {
    case first, second

    typealias Response = User

    var path: EndpointPath {
        switch self {
        case .first: "users/1"
        case .second: "users/2"
        }
    }
}

/// An endpoint that decodes by itself what is not `Decodable`.
struct CountBytes: Endpoint {
    struct Count: Sendable, Equatable {
        let bytes: Int
    }

    var path: EndpointPath { "avatars/ann" }

    func decode(_ response: HTTPResponse) throws -> Count { Count(bytes: response.data.count) }
}

/// An object of the main actor that an accessory tells what ends.
final class ActivityList {
    private(set) var names: [String] = []

    func add(_ name: String) { self.names.append(name) }
}

/// An accessory that waits for the main actor.
struct ListingAccessory: AsyncAccessory {
    let list: ActivityList

    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        await self.list.add(activity.name)
    }
}

/// An accessory with a state of its own.
final class EventCounter: Accessory {
    private let count = Mutex(0)

    var events: Int { self.count.withLock { $0 } }

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.count.withLock { $0 += 1 }
    }
}

struct LanguageInterceptor: Interceptor {
    let language: String

    var cachePartition: String { self.language }

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        var request = request
        request.headers["Accept-Language"] = self.language
        return try await next(request)
    }
}
