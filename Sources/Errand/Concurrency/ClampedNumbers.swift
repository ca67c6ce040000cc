package import struct Foundation.Date

/// Saturating arithmetic for numbers from files, the network or users, which must not trap.
extension FixedWidthInteger {
    /// Creates an integer from the whole part of a number, clamped to the range; 0 for NaN.
    package init(clamping number: Double) {
        if let exact = Self(exactly: number.rounded(.towardZero)) {
            self = exact
        } else {
            self = number.isNaN ? 0 : number < 0 ? .min : .max
        }
    }

    /// Returns the sum, clamped to the range.
    package func adding(_ other: Self) -> Self {
        let (sum, isTooLarge) = self.addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}

extension Date {
    /// The date, clamped to the years from 1 to 9999, beyond which computations fail.
    ///
    /// NaN becomes the beginning of 1970.
    package var bounded: Date {
        let seconds = self.timeIntervalSince1970
        let bounds = -62_135_596_800.0...253_402_300_799
        guard !bounds.contains(seconds) else { return self }
        return Date(timeIntervalSince1970: seconds.isNaN ? 0 : min(max(seconds, bounds.lowerBound), bounds.upperBound))
    }
}

extension Duration {
    /// Returns a duration of seconds, up to some ten thousand years; zero for NaN.
    package static func seconds(clamping seconds: Double) -> Duration {
        .seconds(min(max(seconds.isNaN ? 0 : seconds, -0x1p38), 0x1p38))
    }
}
