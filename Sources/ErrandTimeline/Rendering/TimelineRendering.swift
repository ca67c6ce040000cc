/// Options for drawing a timeline.
public struct TimelineRendering: Sendable, Hashable {
    /// The labels of requests.
    public enum Labels: Sendable, Hashable {
        /// The name of the endpoint's type, followed by the path of the URL.
        case names
        /// The URL, for programs with one type for all requests.
        case urls
    }

    /// The heading.
    public var title = "Timeline"
    /// The width of the picture in CSS pixels, from 480 to 4000.
    public var width = 900
    /// The maximum number of rows; a line shows the number of omitted ones.
    public var rowLimit = 1000
    /// The maximum number of children of one batch or chain; a line shows the number of omitted ones.
    public var childLimit = 40
    /// The labels of requests.
    public var labels = Labels.names

    /// Creates the default options.
    public init() {}
}
