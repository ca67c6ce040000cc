internal import Foundation

/// Prints one line for each metric, for people or for programs.
struct Report {
    let scenario: String
    let json: Bool

    func tell(_ metric: String, _ value: Double, _ unit: String) {
        if self.json {
            let number = String(format: "%.3f", value)
            print(#"{"scenario":"\#(self.scenario)","metric":"\#(metric)","value":\#(number),"unit":"\#(unit)"}"#)
        } else {
            let padding = String(repeating: " ", count: max(1, 36 - metric.count))
            print("\(metric)\(padding)\(String(format: "%12.2f", value)) \(unit)")
        }
        // Flushes each line at once, also through a pipe.
        FileHandle.standardOutput.synchronizeFile()
    }
}
