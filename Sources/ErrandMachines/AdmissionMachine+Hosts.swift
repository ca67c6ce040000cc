/// Hosts with tickets, and their lanes.
extension AdmissionMachine {
    mutating func hostSlot(for name: String) -> Int {
        // Most requests go to the same host as the one before; skip hashing its name.
        if let last = self.lastHost, last.name == name { return last.index }
        if let index = self.hostIndex[name] {
            self.lastHost = (name, index)
            return index
        }
        let index = self.freeHosts.popLast() ?? self.hosts.count
        var host = Host(name: name, lanes: [self.makeLane(of: index, tag: nil)])
        host.found = self.gradient.map { GradientLimit($0) }
        if self.pace.isOn { host.pace = HostPace(self.pace.rates.rate(of: name), at: self.pace.now) }
        if index == self.hosts.count { self.hosts.append(host) } else { self.hosts[index] = host }
        self.hostIndex[name] = index
        return index
    }

    /// The lane of a host for tickets with a tag.
    ///
    /// A limited tag has its own lane.
    mutating func lane(of host: Int, _ tag: String?) -> Int {
        guard self.pace.isOn, let tag, let number = self.pace.number(ofTag: tag) else {
            return self.hosts[host].lanes[0]
        }
        if let lane = self.hosts[host].lanes.first(where: { self.lanes[$0].tag == number }) { return lane }
        let lane = self.makeLane(of: host, tag: number)
        self.hosts[host].lanes.append(lane)
        return lane
    }

    mutating func makeLane(of host: Int, tag: Int?) -> Int {
        let lane = Lane(host: host, tag: tag)
        if let free = self.freeLanes.popLast() {
            self.lanes[free] = lane
            return free
        }
        self.lanes.append(lane)
        return self.lanes.count - 1
    }

    func isIdle(_ host: Host) -> Bool {
        host.active == 0 && host.lanes.allSatisfy { self.lanes[$0].isEmpty } && host.pace.isFresh(at: self.pace.now)
    }

    /// Removes idle hosts once there are many.
    ///
    /// A few are kept because they tend to come back.
    mutating func dropIdleHosts() {
        guard self.hostIndex.count > 2 * self.tickets.count + self.pacedHosts + 64 else { return }
        self.visitedCount += self.hostIndex.count
        self.pacedHosts = 0
        for (name, index) in self.hostIndex {
            guard self.isIdle(self.hosts[index]) else {
                self.pacedHosts += self.hosts[index].pace.isFresh(at: self.pace.now) ? 0 : 1
                continue
            }
            self.hostIndex[name] = nil
            self.lastHost = nil
            self.freeHosts.append(index)
            for lane in self.hosts[index].lanes { self.pace.unblock(lane) }
            self.freeLanes += self.hosts[index].lanes
            self.hosts[index].lanes = []
        }
    }
}
