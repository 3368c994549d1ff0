package attr

import "pgregory.net/rapid"

// Generators shared by the property tests. Numbers reach both ends of the range and
// have up to 38 digits. Text contains 0x00, and bytes contain 0x00 and 0xFF, which
// the key codec escapes.

var genNumberText = rapid.Custom(func(t *rapid.T) string {
	digits := rapid.StringMatching(`[1-9][0-9]{0,37}`).Draw(t, "digits")
	shift := len(digits) - 1
	exp := rapid.OneOf(rapid.IntRange(-5, 5), rapid.IntRange(-130-shift, 125-shift)).Draw(t, "exp")
	sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
	return sign + digits + "E" + itoa(exp)
})

var genNumber = rapid.OneOf(
	rapid.Map(rapid.Int64Range(-20, 20), NumberOf),
	rapid.Map(genNumberText, mustNumber),
)

var genText = rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b', 'é', 0x10FFFF}), 0, 6, -1)

var genBytes = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7F, 0x80, 0xFE, 0xFF}), 0, 6),
	func(b []byte) string { return string(b) })

func genKeyOf(k Kind) *rapid.Generator[Value] {
	switch k {
	case S:
		return rapid.Map(genText, String)
	case N:
		return rapid.Map(genNumber, Num)
	default:
		return rapid.Map(genBytes, func(s string) Value { return Binary([]byte(s)) })
	}
}

var genKeyKind = rapid.SampledFrom([]Kind{S, N, B})

func genValue(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		last := BS
		if depth == 0 {
			last = NULL
		}
		kind := Kind(rapid.IntRange(int(S), int(last)).Draw(t, "kind"))
		switch kind {
		case S, N, B:
			return genKeyOf(kind).Draw(t, "scalar")
		case BOOL:
			return Bool(rapid.Bool().Draw(t, "bool"))
		case NULL:
			return Null()
		case M:
			return Map(genItem(depth-1).Draw(t, "map"))
		case L:
			return List(rapid.SliceOfN(genValue(depth-1), 0, 4).Draw(t, "list")...)
		default:
			return Set(kind, rapid.SliceOfN(genKeyOf(kind.Member()), 1, 5).Draw(t, "set"))
		}
	})
}

func genItem(depth int) *rapid.Generator[Item] {
	return rapid.Map(rapid.MapOfN(genText, genValue(depth), 0, 4),
		func(m map[string]Value) Item {
			attributes := make([]Attribute, 0, len(m))
			for name, v := range m {
				attributes = append(attributes, Attribute{name, v})
			}
			return ItemOf(attributes...)
		})
}
