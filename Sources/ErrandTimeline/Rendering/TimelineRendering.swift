/// How a timeline is drawn.
public struct TimelineRendering: Sendable, Hashable {
    /// What names a request.
    public enum Labels: Sendable, Hashable {
        /// The name of its type, then the path of its URL.
        case names
        /// Its URL: for programs that have one type for everything.
        case urls
    }

    /// The heading.
    public var title = "Timeline"
    /// How wide the picture is, in CSS pixels; 480 at least and 4000 at most.
    public var width = 900
    /// How many rows are drawn at most; a line says how many more there are.
    public var rowLimit = 1000
    /// How many children of one batch or chain are drawn at most; a line says how many more there are.
    public var childLimit = 40
    /// What names a request.
    public var labels = Labels.names

    /// Creates the usual rendering.
    public init() {}
}
