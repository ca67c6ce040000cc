internal import Errand

extension TransportSettings {
    /// The standard settings but for a change.
    static func with(_ change: (inout TransportSettings) -> Void) -> TransportSettings {
        var settings = TransportSettings()
        change(&settings)
        return settings
    }
}
