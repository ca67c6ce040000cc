/// The routes of a transport or server, in the order in which they are tried.
struct RouteTable<Request: RoutedRequest, Reply: Sendable>: Sendable {
    private static var shownRoutes: Int { 20 }

    private var routes: [Route<Request, Reply>] = []

    init(_ routes: [Route<Request, Reply>] = []) {
        for route in routes { self.add(route) }
    }

    /// Appends a route, or replaces the one with the same method and pattern.
    mutating func add(_ route: Route<Request, Reply>) {
        if let key = route.key, let place = self.routes.firstIndex(where: { $0.key == key }) {
            self.routes[place] = route
        } else {
            self.routes.append(route)
        }
    }

    /// Finds the first route for a request; a HEAD that matches no route is matched against the routes for GET.
    func route(for request: Request) -> Route<Request, Reply>? {
        if let route = self.routes.first(where: { $0.matches(request) }) { return route }
        guard request.routedMethod == "HEAD" else { return nil }
        return self.routes.first { $0.matchesHeadAsGet(request) }
    }

    var isEmpty: Bool { self.routes.isEmpty }

    /// A list of the routes, for the error about a request that matches none.
    var summary: String {
        guard !self.isEmpty else { return "there are no routes" }
        let shown = self.routes.prefix(Self.shownRoutes).map(\.description).joined(separator: ", ")
        let rest = self.routes.count - Self.shownRoutes
        return "the routes are: \(shown)" + (rest > 0 ? ", and \(rest) more" : "")
    }
}
