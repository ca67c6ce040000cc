internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// The client of a photo service: tokens that are renewed, uploads, a cache.
private struct PhotoService: Sendable {
    let client: Client

    init(baseURL: String = "https://photos.example.com/v1/", _ configure: (inout Client.Configuration) -> Void) {
        self.client = Client(baseURL: baseURL) {
            $0.options = .retries(.standard).timeout(total: .seconds(60))
            $0.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
            configure(&$0)
        }
    }

    func albums() async throws(ErrandError) -> [Album] { try await self.client.send(ListAlbums()) }

    func add(_ photo: URL, to album: Album) async throws(ErrandError) -> Photo {
        let photo = try await self.client.upload(AddPhoto(album: album.albumID), from: photo)
        try await self.client.cache.remove(ListAlbums())
        return photo
    }

    struct Album: Decodable, Sendable, Equatable {
        let albumID: String
        let photoCount: Int

        enum CodingKeys: String, CodingKey {
            // As convertFromSnakeCase spells `album_id`.
            case albumID = "albumId"
            case photoCount
        }
    }

    struct Photo: Decodable, Sendable, Equatable {
        let takenAt: Date
    }

    struct ListAlbums: Endpoint {
        typealias Response = [Album]

        var path: EndpointPath { "albums" }
        var options: RequestOptions { .caching(.fresh(for: .seconds(300))) }
    }

    struct AddPhoto: Endpoint {
        typealias Response = Photo

        let album: String
        var path: EndpointPath { "albums/\(self.album)/photos" }
        var method: HTTPMethod { .post }
        var options: RequestOptions { .retries(.never).priority(.low) }
    }
}

@Suite("A service client as an app writes it: tokens, uploads and a cache", .timeLimit(.minutes(60)), .paced)
struct ServiceClientExamples {
    @Test func `renews its token once, serves from its cache, and asks anew after an upload`() async throws {
        let folder = try TestFolder()
        let file = folder.file("sun.jpg")
        try Data(repeating: 7, count: 10_000).write(to: file)
        let transport = StubTransport()
        transport.route(where: { $0.url.path == "/v1/albums" }) { request, use in
            guard request.headers["Authorization"] == "Bearer new" else {
                return .data(Data(), status: 401, headers: ["WWW-Authenticate": "Bearer"])
            }
            return .json(#"[{"album_id":"a","photo_count":\#(use)}]"#)
        }
        transport.route("/v1/albums/a/photos", .json(#"{"taken_at":86400}"#))
        let renewals = RecordedRenewals()
        let service = PhotoService {
            $0.transport = transport
            $0.credentials = .authenticator(
                TokenAuthenticator(store: TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "old", user: "ann"))) {
                    _ in
                    renewals.add()
                    return OAuthToken(accessToken: "new", user: "ann")
                })
        }

        let albums = try await service.albums()
        #expect(try await service.albums() == albums)
        #expect(albums.map(\.albumID) == ["a"])
        #expect(
            try await service.add(file, to: albums[0])
                == PhotoService.Photo(takenAt: Date(timeIntervalSince1970: 86_400)))
        #expect(try await service.albums() != albums)
        #expect(renewals.count == 1)
        #expect(transport.received.map(\.method) == [.get, .get, .post, .get])
    }
}

private final class RecordedRenewals: Sendable {
    private let numbers = FixtureLog()

    func add() { self.numbers.add("renewed") }

    var count: Int { self.numbers.lines.count }
}
