/// The words and endings for ``Plural``.
enum PluralRules {
    /// Whole words with an irregular plural.
    static let irregular: [String: String] = pairs(
        """
        i we, me us, he they, she they, them them, myself ourselves, yourself yourselves, itself themselves,
        herself themselves, himself themselves, themself themselves, is are, was were, has have, this these, that those,
        echo echoes, dingo dingoes, volcano volcanoes, tornado tornadoes, torpedo torpedoes, genus genera, viscus viscera,
        stigma stigmata, stoma stomata, dogma dogmata, lemma lemmata, schema schemata, anathema anathemata, ox oxen,
        axe axes, die dice, yes yeses, foot feet, eave eaves, goose geese, tooth teeth, quiz quizzes, human humans,
        proof proofs, carve carves, valve valves, looey looies, thief thieves, groove grooves, pickaxe pickaxes,
        passerby passersby
        """)

    /// The irregular plurals. They are not changed again.
    static let irregularPlurals = Set(irregular.values)

    /// Whole words without a separate plural.
    static let uncountable = words(
        """
        adulthood advice agenda aid aircraft alcohol ammo analytics anime athletics audio bison blood bream buffalo butter
        carp cash chassis chess clothing cod commerce cooperation corps debris diabetes digestion elk energy equipment
        excretion expertise firmware flounder fun gallows garbage graffiti hardware headquarters health herpes highjinks
        homework housework information jeans justice kudos labour literature machinery mackerel mail manga media mews moose
        mud music news only personnel pike plankton pliers police pollution premises rain research rice salmon scissors
        series sewage shambles shrimp software species staff swine tennis traffic transportation trout tuna wealth welfare
        whiting wildebeest wildlife you
        """)

    /// Endings of words that are not changed.
    static let unchanging: [WordEnd] = [
        "sheep", "pox", "ois", "ous", "measles", "fish", "deer", "[^aeiou]ese", "pokemon",
    ]

    /// The rules, of which the first match counts.
    static let endings: [PluralEnding] = [
        PluralEnding("", "^thou", "you"),
        PluralEnding("", "man men", "men"),
        PluralEnding("eaux", "-", ""),
        PluralEnding("child", "ren -", "ren"),
        PluralEnding("pe", "rson ople", "ople"),
        PluralEnding("^m ^titm ^l", "ice ouse", "ice"),
        PluralEnding("matr cod mur sil vert ind append", "ix ex", "ices"),
        PluralEnding("x ch ss sh zz", "-", "es"),
        PluralEnding("[^ch][ieo][ln]", "ey", "ies"),
        PluralEnding("[^aeiouy] qu", "y", "ies"),
        PluralEnding("kni wi li", "fe", "ves"),
        PluralEnding("ar l ea eo oa hoo", "f", "ves"),
        PluralEnding("", "sis", "ses"),
        PluralEnding(
            "apheli hyperbat periheli asyndet noumen phenomen criteri organ prolegomen hedr automat", "a on", "a"),
        PluralEnding(
            """
            agend addend millenni dat extrem bacteri desiderat strat candelabr errat ov symposi curricul automat quor
            """, "a um", "a"),
        PluralEnding("her at gr", "o", "oes"),
        PluralEnding("seraph cherub", "im -", "im"),
        PluralEnding("alumn alg vertebr", "a ae", "ae"),
        PluralEnding(
            "alumn syllab vir radi nucle fung cact stimul termin bacill foc uter loc strat", "us i", "i"),
        PluralEnding("[^l]ias [aeiou]las [ejzr]as [iu]am", "-", ""),
        PluralEnding("e[mn]u", "s -", "s"),
        PluralEnding("alias [^aou]us t[lm]as gas ris", "-", "es"),
        PluralEnding("ax test", "is", "es"),
        PluralEnding("", "s -", "s"),
    ]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    private static func pairs(_ text: String) -> [String: String] {
        let pairs = text.split { $0 == "," || $0 == "\n" }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }
}
