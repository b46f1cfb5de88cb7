import Foundation

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
