package import struct Foundation.Date

/// Arithmetic with numbers that come from files, the network or users: what is too large is the largest, and never a trap.
extension FixedWidthInteger {
    /// Takes the whole part of a number, or the nearest that there is; 0 for what is no number.
    package init(clamping number: Double) {
        if let exact = Self(exactly: number.rounded(.towardZero)) {
            self = exact
        } else {
            self = number.isNaN ? 0 : number < 0 ? .min : .max
        }
    }

    /// The sum, or the nearest that there is.
    package func adding(_ other: Self) -> Self {
        let (sum, isTooLarge) = self.addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}

extension Date {
    /// The date, or the nearest in the years from 1 to 9999: beyond them nothing can be computed with it.
    ///
    /// One that is no number is the beginning of 1970.
    package var bounded: Date {
        let seconds = self.timeIntervalSince1970
        let bounds = -62_135_596_800.0...253_402_300_799
        guard !bounds.contains(seconds) else { return self }
        return Date(timeIntervalSince1970: seconds.isNaN ? 0 : min(max(seconds, bounds.lowerBound), bounds.upperBound))
    }
}

extension Duration {
    /// So many seconds, up to some ten thousand years; none for what is no number.
    package static func seconds(clamping seconds: Double) -> Duration {
        .seconds(min(max(seconds.isNaN ? 0 : seconds, -0x1p38), 0x1p38))
    }
}
