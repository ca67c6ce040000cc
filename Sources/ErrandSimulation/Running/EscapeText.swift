/// A plain-text notice that jobs came from other threads, with their tasks.
struct EscapeText: CustomStringConvertible {
    let jobs: Int
    let tasks: [String]

    var description: String {
        let jobs = self.jobs == 1 ? "1 job" : "\(self.jobs) jobs"
        return "\(jobs) came from other threads (\(self.origin))"
    }

    private var origin: String {
        let tasks = self.tasks.joined(separator: ", ")
        return switch self.tasks.count {
        case 0: "of an actor that is also used outside"
        case 1: "task \(tasks)"
        default: "tasks \(tasks)"
        }
    }
}
