/// Something harmless to wait for: an actor that is told that something happens.
actor Journal {
    private var entries = 0

    func note() {
        self.entries += 1
    }
}
