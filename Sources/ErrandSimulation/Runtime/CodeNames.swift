#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    internal import ErrandLocks
    @_spi(Internal) internal import Runtime

    /// Looks up the names of code addresses in the debug information of the program.
    enum CodeNames {
        #if arch(x86_64)
            private static let architecture = "x86_64"
        #else
            private static let architecture = "arm64"
        #endif
        private static let images = ImageMap.capture()
        private static let known = Locked<[UInt: Simulation.CodeLocation?]>(unobserved: [:])

        /// Returns the first location in the scenario's own code among addresses.
        ///
        /// - Parameter addresses: The addresses at which a task and its callers resume, the innermost first.
        /// - Returns: The location, or `nil` if no name is known.
        static func place(of addresses: [UInt]) -> Simulation.CodeLocation? {
            self.known.withLock { known in
                for address in addresses {
                    let place = known[address] ?? self.place(at: address)
                    known[address] = .some(place)
                    if let place { return place }
                }
                return nil
            }
        }

        /// Returns the first function of the program among addresses.
        static func function(of addresses: [UInt]) -> String? {
            addresses.lazy.compactMap { self.symbol(at: $0) }.first(where: self.isCode)?.name
        }

        // MARK: - Private helpers

        private static func place(at address: UInt) -> Simulation.CodeLocation? {
            guard let symbol = self.symbol(at: address), self.isCode(symbol),
                !self.own.contains(where: { symbol.rawName.hasPrefix($0) })
            else { return nil }
            // Finding the line takes a hundred times as long as finding the name.
            let location = self.symbol(at: address, options: .showSourceLocations)?.sourceLocation
            // Code that the compiler generated has no line.
            let known = location.flatMap { $0.line > 0 ? $0 : nil }
            return Simulation.CodeLocation(
                function: self.readable(symbol.name), file: known?.path.split(separator: "/").last.map(String.init),
                line: known?.line)
        }

        /// Makes `closure #2 in closure #1 in main()` a `closure in main()`.
        private static func readable(_ name: String) -> String {
            let outer = #/(implicit )?closure #[0-9]+ in |variable initialization expression of /#
            var (rest, isClosure) = (Substring(name), false)
            while let match = rest.prefixMatch(of: outer) {
                isClosure = isClosure || !match.output.0.hasPrefix("variable")
                rest = rest[match.range.upperBound...]
            }
            // Code at the top level of a program has no enclosing function.
            guard isClosure else { return String(rest) }
            return rest.isEmpty ? "closure" : "closure in \(rest)"
        }

        private static func symbol(
            at address: UInt, options: Backtrace.SymbolicationOptions = []
        ) -> SymbolicatedBacktrace.Symbol? {
            let frames = [RichFrame<UInt64>.asyncResumePoint(UInt64(address))]
            let trace = Backtrace(architecture: self.architecture, frames: frames, images: self.images)
            return trace.symbolicated(with: self.images, options: options.union(.useSymbolCache))?.frames.first?.symbol
        }

        /// True for Swift code written by a programmer; false for the standard libraries, which may be linked
        /// statically.
        private static func isCode(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
            symbol.rawName.hasPrefix("$s") && !symbol.isSystemFunction && !symbol.isSwiftThunk
                && !self.standard.contains { symbol.rawName.hasPrefix($0) }
                && !self.wrappers.contains { symbol.name.hasPrefix($0) }
        }

        // The prefixes of functions of the standard modules.
        private static let standard = [
            "$ss", "$sSc", "$s12_Concurrency", "$s10Foundation", "$s20FoundationEssentials", "$s8Dispatch",
            "$s7Testing",
            "$s6XCTest",
        ]
        private static let own = ["$s16ErrandSimulation", "$s23ErrandSimulationTesting"]
        private static let wrappers = ["partial apply for ", "thunk for ", "<"]
    }
#else
    /// Looks up the names of code addresses; not available on this platform.
    enum CodeNames {
        static func place(of addresses: [UInt]) -> Simulation.CodeLocation? { nil }
    }
#endif
