import SeededNumbers
import TidelogCore

extension SeededGenerator {
    /// A random predicate, which may or may not fit a model. It has no temporals, because the text of a predicate does
    /// not distinguish temporals from texts.
    mutating func predicate(depth: Int = 0) -> QueryPredicate {
        switch below(depth > 5 ? 6 : 10) {
        case 0: .all
        case 1...4: .field(fieldName(), comparison())
        case 5: .related(fieldName(), predicate(depth: depth + 1))
        case 6: .and((0..<below(4)).map { _ in predicate(depth: depth + 1) })
        case 7: .or((0..<below(4)).map { _ in predicate(depth: depth + 1) })
        default: .not(predicate(depth: depth + 1))
        }
    }

    private mutating func fieldName() -> String {
        once(in: 4)
            ? text()
            : pick(["name", "population", "_x1", "true", "false", "nil", "all", "any", "contains", "é", "a b", "`"])
    }

    private mutating func comparison() -> QueryPredicate.Comparison {
        switch below(12) {
        case 10: .endsWith(text())
        case 11: .ignoringCase(pick(QueryPredicate.TextComparison.allCases), text())
        case 0: .equal(once(in: 3) ? nil : constant())
        case 1: .notEqual(once(in: 3) ? nil : constant())
        case 2: .less(constant())
        case 3: .lessOrEqual(constant())
        case 4: .greater(constant())
        case 5: .greaterOrEqual(constant())
        case 6: .between(constant(), constant())
        case 7: .beginsWith(text())
        case 8: .contains(constant())
        default: .notContains(constant())
        }
    }

    private mutating func constant(depth: Int = 0) -> FieldValue {
        switch below(depth > 2 ? 6 : 8) {
        case 0, 1: return .string(text())
        case 2, 3: return .int(int())
        case 4: return .double(double())
        case 5: return .bool(once(in: 2))
        case 6: return .list((0..<below(4)).map { _ in once(in: 4) ? nil : constant(depth: depth + 1) })
        default:
            var values: [String: FieldValue] = [:]
            for _ in 0..<below(4) { values[text()] = constant(depth: depth + 1) }
            return .embedded(values)
        }
    }
}
