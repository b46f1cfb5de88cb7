import Foundation
import Tidelog

/// A second implementation of the rules, which the tests compare with the server. It reads the text of the rules again for
/// every question, and uses none of the server's code.
struct RuleOracle {
    typealias Values = [String: FieldValue]

    let text: RuleText
    /// The provider whose callers may use a model without rules.
    let openProvider: String

    init(_ sdl: String, openProvider: String) { (text, self.openProvider) = (RuleText(sdl), openProvider) }

    // MARK: Reading

    /// Whether `person` may see `field` of a record in a response to an operation.
    func sees(_ person: Person, _ field: String, of model: String, _ record: Values, by operation: String) -> Bool {
        guard allows(person, operation, model, record) else { return false }
        guard let own = text.models[model]?.fieldRules[field] else { return true }
        return own.contains { grants($0, operation, person, record) }
    }

    /// Whether the rules of the model allow `person` an operation on a record. `nil` stands for a record that does not exist.
    func allows(_ person: Person, _ operation: String, _ model: String, _ record: Values?) -> Bool {
        guard let rules = text.models[model]?.rules else { return person.provider == openProvider }
        return rules.contains { grants($0, operation, person, record) }
    }

    /// Whether the rules could allow `person` the operation on any record.
    func couldAllow(_ person: Person, _ operation: String, _ model: String) -> Bool {
        guard let rules = text.models[model]?.rules else { return person.provider == openProvider }
        return rules.contains { rule in
            let ideal = fields(rule, person).mapValues { FieldValue.string($0) }
            return grants(rule, operation, person, ideal)
        }
    }

    // MARK: Changes

    /// The values that are stored after a creation, or `nil` if the rules refuse it. If a record or a tombstone with the id
    /// exists, the rules must first allow the person to create, update or delete that one.
    func created(_ person: Person, _ model: String, _ sent: [String: FieldValue?], over stored: Values?) -> Values? {
        if let stored, !["create", "update", "delete"].contains(where: { allows(person, $0, model, stored) }) {
            return nil
        }
        var record: Values = sent.compactMapValues { $0 }
        for rule in (text.models[model]?.rules ?? []) + (text.models[model]?.fieldRules.values.flatMap { $0 } ?? []) {
            guard rule["allow"] == ["owner"], operations(rule).contains("create"), provider(rule) == person.provider,
                let name = ownerNames(rule, person).first, sent[ownerField(rule)] == nil,
                record[ownerField(rule)] == nil
            else { continue }
            let isList = text.models[model]?.fields.first { $0.name == ownerField(rule) }?.type.hasPrefix("[") ?? false
            guard !isPartial(rule, person) || person.texts["sub"]?.isEmpty == false else { continue }
            record[ownerField(rule)] = isList ? .list([.string(name)]) : .string(name)
        }
        guard mayCreate(text.models[model]?.rules, person, model, record, sent) else { return nil }
        for field in sent.keys {
            guard let own = text.models[model]?.fieldRules[field] else { continue }
            guard mayCreate(own, person, model, record, sent) else { return nil }
        }
        return record
    }

    private func mayCreate(
        _ rules: [RuleText.Rule]?, _ person: Person, _ model: String, _ record: Values, _ sent: [String: FieldValue?]
    ) -> Bool {
        guard let rules else { return person.provider == openProvider }
        let granting = rules.filter { grants($0, "create", person, record) }
        if granting.contains(where: { $0["allow"] != ["owner"] }) { return true }
        let owners = rules.filter {
            $0["allow"] == ["owner"] && operations($0).contains("create") && provider($0) == person.provider
                && !ownerNames($0, person).isEmpty
        }
        for rule in owners where !isList(ownerField(rule), model) && sent[ownerField(rule)] != nil {
            guard granting.contains(where: { ownerField($0) == ownerField(rule) }) else { return false }
        }
        return !granting.isEmpty
    }

    /// Whether `person` may change the record `stored` to `result` by sending these fields.
    func mayUpdate(_ person: Person, _ model: String, _ sent: [String], _ stored: Values?, _ result: Values?) -> Bool {
        guard let stored else {
            return sent.isEmpty
                ? allows(person, "update", model, nil)
                : sent.allSatisfy { rules($0, model, person, "update", nil) }
        }
        for record in [stored, result ?? stored] {
            if sent.isEmpty, !allows(person, "update", model, record) { return false }
            for field in sent where !rules(field, model, person, "update", record) { return false }
        }
        let after = result ?? stored
        for field in sent where stored[field] != after[field] && isOwners(field, model) {
            guard mayChangeOwners(person, field, model, stored) else { return false }
        }
        for field in sent where stored[field] != after[field] && isOnlyOwner(field, model) {
            let rules = text.models[model]?.fieldRules[field] ?? text.models[model]?.rules
            guard let rules else { continue }
            let both = { (accepts: (RuleText.Rule) -> Bool) in
                [stored, after].allSatisfy { record in
                    rules.contains { accepts($0) && grants($0, "update", person, record) }
                }
            }
            guard
                both({ $0["allow"] != ["owner"] }) || both({ $0["allow"] == ["owner"] && ownerField($0) == field })
            else { return false }
        }
        return true
    }

    /// Whether a rule lets `person` update the record as one of its owners, or as a member of a group that the schema names.
    private func mayChangeOwners(_ person: Person, _ field: String, _ model: String, _ stored: Values) -> Bool {
        let own = text.models[model]?.fieldRules[field] ?? text.models[model]?.rules ?? []
        let all = (text.models[model]?.rules ?? []) + (text.models[model]?.fieldRules.values.flatMap { $0 } ?? [])
        let owners = all.filter { $0["allow"] == ["owner"] && ownerField($0) == field }
        return (own + owners).contains { rule in
            let isOfOwnersOrGroups =
                rule["allow"] == ["owner"] || rule["allow"] == ["groups"] && rule["groups"] != nil
            return isOfOwnersOrGroups && grants(rule, "update", person, stored)
        }
    }

    private func isOwners(_ field: String, _ model: String) -> Bool {
        let all = (text.models[model]?.rules ?? []) + (text.models[model]?.fieldRules.values.flatMap { $0 } ?? [])
        return all.contains { $0["allow"] == ["owner"] && ownerField($0) == field }
    }

    /// Whether `person` may delete the record `stored`. The rules of the model and of each field must allow it.
    func mayDelete(_ person: Person, _ model: String, _ stored: Values?) -> Bool {
        guard allows(person, "delete", model, stored) else { return false }
        return (text.models[model]?.fieldRules.values.map { $0 } ?? []).allSatisfy { rules in
            rules.contains { grants($0, "delete", person, stored) }
        }
    }

    private func rules(
        _ field: String, _ model: String, _ person: Person, _ operation: String, _ record: Values?
    ) -> Bool {
        guard let own = text.models[model]?.fieldRules[field] else { return allows(person, operation, model, record) }
        return own.contains { grants($0, operation, person, record) }
    }

    private func isOnlyOwner(_ field: String, _ model: String) -> Bool {
        let rules = (text.models[model]?.rules ?? []) + (text.models[model]?.fieldRules.values.flatMap { $0 } ?? [])
        return !isList(field, model) && rules.contains { $0["allow"] == ["owner"] && ownerField($0) == field }
    }

    private func isList(_ field: String, _ model: String) -> Bool {
        text.models[model]?.fields.first { $0.name == field }?.type.hasPrefix("[") ?? false
    }

    // MARK: One rule

    private func grants(_ rule: RuleText.Rule, _ operation: String, _ person: Person, _ record: Values?) -> Bool {
        guard operations(rule).contains(operation), provider(rule) == person.provider else { return false }
        switch rule["allow"]?.first {
        case "public": return true
        case "private": return person.provider != "apiKey"
        case "owner": return names(record?[ownerField(rule)], oneOf: ownerNames(rule, person))
        case "groups":
            let groups = groups(rule, person)
            if let named = rule["groups"] { return named.contains(where: groups.contains) }
            return names(record?[rule["groupsField"]?.first ?? "groups"], oneOf: groups)
        default: return false
        }
    }

    /// Values with which a record passes the rule for this person, by the names of their fields.
    private func fields(_ rule: RuleText.Rule, _ person: Person) -> [String: String] {
        switch rule["allow"]?.first {
        case "owner": ownerNames(rule, person).first.map { [ownerField(rule): $0] } ?? [:]
        case "groups": groups(rule, person).first.map { [rule["groupsField"]?.first ?? "groups": $0] } ?? [:]
        default: [:]
        }
    }

    private func names(_ value: FieldValue?, oneOf names: [String]) -> Bool {
        let found: [FieldValue?] = if case .list(let elements)? = value { elements } else { [value] }
        return found.contains { element in
            guard case .string(let text)? = element else { return false }
            return names.contains { Array($0.utf8) == Array(text.utf8) }
        }
    }

    private func operations(_ rule: RuleText.Rule) -> [String] {
        (rule["operations"] ?? ["create", "update", "delete", "read"])
            .flatMap { $0 == "read" ? ["get", "list", "sync", "listen", "search"] : [$0] }
    }

    private func provider(_ rule: RuleText.Rule) -> String {
        rule["provider"]?.first ?? ["public": "apiKey", "custom": "function"][rule["allow"]?.first ?? ""] ?? "userPools"
    }

    private func ownerField(_ rule: RuleText.Rule) -> String { rule["ownerField"]?.first ?? "owner" }

    private func groups(_ rule: RuleText.Rule, _ person: Person) -> [String] {
        let claim = rule["groupClaim"]?.first ?? "cognito:groups"
        return (person.lists[claim] ?? person.texts[claim].map { [$0] } ?? []).filter { $0 != "" }
    }

    private func claims(_ rule: RuleText.Rule, _ person: Person) -> [String?] {
        (rule["identityClaim"]?.first ?? "sub::username").components(separatedBy: "::").map { claim in
            let text =
                claim == "username" ? person.texts["cognito:username"] ?? person.texts[claim] : person.texts[claim]
            return text == "" ? nil : text
        }
    }

    private func isPartial(_ rule: RuleText.Rule, _ person: Person) -> Bool { claims(rule, person).contains(nil) }

    /// The names that may stand for the person in an owner field. New records get the first one.
    private func ownerNames(_ rule: RuleText.Rule, _ person: Person) -> [String] {
        let claims = claims(rule, person)
        let present = claims.compactMap { $0 }
        let alone = claims.count > 1 ? present.filter { !$0.contains("::") } : present
        return (present.count == claims.count ? [present.joined(separator: "::")] : []) + alone
    }
}
