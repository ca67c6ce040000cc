/// Keeps numbers in the order in which they come.
actor NumberRecorder {
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { self.numbers.append(number) }
}
