/// Storage per priority.
extension AdmissionMachine {
    /// One value per priority, without a dictionary.
    struct ByPriority<Value> {
        var low: Value
        var normal: Value
        var high: Value

        init(_ value: Value) {
            self.low = value
            self.normal = value
            self.high = value
        }

        subscript(priority: Priority) -> Value {
            get {
                switch priority {
                case .low: self.low
                case .normal: self.normal
                case .high: self.high
                }
            }
            set {
                switch priority {
                case .low: self.low = newValue
                case .normal: self.normal = newValue
                case .high: self.high = newValue
                }
            }
        }
    }

    /// The heads that may be admitted, oldest first, for each priority.
    struct Candidates: ~Copyable {
        private var low = BinaryHeap<Candidate>()
        private var normal = BinaryHeap<Candidate>()
        private var high = BinaryHeap<Candidate>()

        func count(_ priority: Priority) -> Int {
            switch priority {
            case .low: self.low.count
            case .normal: self.normal.count
            case .high: self.high.count
            }
        }

        mutating func insert(_ candidate: Candidate, _ priority: Priority) {
            switch priority {
            case .low: self.low.insert(candidate)
            case .normal: self.normal.insert(candidate)
            case .high: self.high.insert(candidate)
            }
        }

        mutating func popFirst(_ priority: Priority) -> Candidate? {
            switch priority {
            case .low: self.low.popFirst()
            case .normal: self.normal.popFirst()
            case .high: self.high.popFirst()
            }
        }

        mutating func keep(_ priority: Priority, where isKept: (Candidate) -> Bool) {
            switch priority {
            case .low: self.low.keep(where: isKept)
            case .normal: self.normal.keep(where: isKept)
            case .high: self.high.keep(where: isKept)
            }
        }
    }
}
