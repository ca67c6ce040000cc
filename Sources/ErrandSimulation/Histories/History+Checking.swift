extension History {
    /// Checks that there is an order of the operations that explains what each of them returned.
    ///
    /// A history is linearizable if each of its operations can be thought to have happened at one moment between its
    /// call and its return, such that the results are those of a model that performs them one after the other (Herlihy
    /// and Wing: *Linearizability: a correctness condition for concurrent objects*, 1990). An operation that did not
    /// return may have happened at any moment after its call, or not at all.
    ///
    /// The order is searched for with the algorithm of Wing and Gong (*Testing and verifying concurrent objects*,
    /// 1993), with the memoization of Lowe (*Testing for linearizability*, 2017): no configuration, which is a set of
    /// placed operations and the state after them, is entered twice. The problem is hard in general: the time grows
    /// exponentially with the number of operations that are open at once, where those that never return stay open, and
    /// with the orders that no result settles, such as of elements that stay in a queue. Otherwise it grows with the
    /// length of the history. A search of the default limit takes seconds in a debug build, which count toward the
    /// `stepTimeout` of a simulation if the check is made inside one.
    ///
    /// - Parameters:
    ///   - model: The specification that the operations must obey.
    ///   - limit: The largest number of configurations to search; at least the number of operations is needed.
    /// - Throws: `NotLinearizable` if there is no such order; `LinearizabilityUndecided` if the limit was reached
    ///   first.
    public func checkLinearizable(
        model: some LinearizableModel<Operation, Result>, limit: Int = 100_000
    ) throws {
        switch self.linearizability(model: model, limit: limit) {
        case .linearizable: break
        case .notLinearizable(let error): throw error
        case .undecided(let searched): throw LinearizabilityUndecided(searched: searched)
        }
    }

    /// Returns whether there is an order of the operations that explains what each of them returned.
    ///
    /// The independent parts of the model are searched in rounds, each to ten times as many configurations as in the
    /// round before: the parts that are settled quickly decide first.
    ///
    /// - Parameters:
    ///   - model: The specification that the operations must obey.
    ///   - limit: The largest number of configurations to search in all parts, without those that a later round repeats.
    /// - Returns: The outcome, which `checkLinearizable(model:limit:)` throws as an error.
    public func linearizability(
        model: some LinearizableModel<Operation, Result>, limit: Int = 100_000
    ) -> Linearizability {
        let parts = Self.parts(of: self.entries, model)
        // A part that is hard must not keep an easy one from deciding.
        var share = parts.count > 1 ? min(Self.firstShare, limit) : limit
        var searched = [Int](repeating: 0, count: parts.count)
        var undecided = Array(parts.indices)
        while true {
            var stillUndecided: [Int] = []
            for index in undecided {
                let others = searched.reduce(0, +) - searched[index]
                var search = LinearizabilitySearch(
                    parts[index], model: model, limit: max(min(share, limit - others), 0))
                let verdict = search.run()
                searched[index] = search.searched
                switch verdict {
                case .linearizable: break
                case .notLinearizable:
                    return .notLinearizable(LinearizabilityExplainer(parts[index], model: model, limit: limit).error)
                case .undecided: stillUndecided.append(index)
                }
            }
            undecided = stillUndecided
            if undecided.isEmpty { return .linearizable }
            let total = searched.reduce(0, +)
            if share >= limit || total >= limit { return .undecided(searched: total) }
            share = min(share.multipliedReportingOverflow(by: 10).overflow ? .max : share * 10, limit)
        }
    }

    /// The number of configurations to search of each part before more are searched of any.
    private static var firstShare: Int { 1_000 }

    /// The operations for each independent part, the parts in the order of their first operations.
    private static func parts(of entries: [Entry], _ model: some LinearizableModel<Operation, Result>) -> [[Entry]] {
        var (indices, parts) = ([AnyHashable: Int](), [[Entry]]())
        for entry in entries {
            guard let part = model.part(of: entry.operation) else { return [entries] }
            let index = indices[part] ?? parts.count
            if index == parts.count { parts.append([]) }
            indices[part] = index
            parts[index].append(entry)
        }
        return parts
    }
}
