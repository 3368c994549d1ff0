package expr

import "testing"

func TestProjectionReturnsTheExistingPaths(t *testing.T) {
	item := parseItem(t, `{
		"pk": {"S":"key"}, "a.b": {"N":"1"}, "name": {"S":"x"}, "n": {"NULL":true},
		"m": {"M":{"x":{"N":"1"},"y":{"N":"2"},"l":{"L":[{"N":"3"},{"M":{"z":{"N":"4"},"w":{"N":"5"}}}]}}},
		"l": {"L":[{"N":"0"},{"N":"1"},{"N":"2"}]}
	}`)
	for src, want := range map[string]string{
		"pk":                     `{"pk":{"S":"key"}}`,
		"pk, n, gone":            `{"pk":{"S":"key"},"n":{"NULL":true}}`,
		"gone":                   `{}`,
		"#name, #d":              `{"name":{"S":"x"},"a.b":{"N":"1"}}`,
		"m.x":                    `{"m":{"M":{"x":{"N":"1"}}}}`,
		"m.x, m.y":               `{"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}}}`,
		"m.gone, pk":             `{"pk":{"S":"key"}}`,
		"l[2], l[0]":             `{"l":{"L":[{"N":"0"},{"N":"2"}]}}`,
		"l[7]":                   `{}`,
		"l[7], l[1]":             `{"l":{"L":[{"N":"1"}]}}`,
		"m.l[1].z":               `{"m":{"M":{"l":{"L":[{"M":{"z":{"N":"4"}}}]}}}}`,
		"m.l[1].w, m.l[0], m.x":  `{"m":{"M":{"x":{"N":"1"},"l":{"L":[{"N":"3"},{"M":{"w":{"N":"5"}}}]}}}}`,
		"pk.x, l.x, m[0], n.y.z": `{}`,
	} {
		p, err := ParseProjection(testScope(t), src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := p.Apply(item); !got.Equal(parseItem(t, want)) {
			t.Errorf("%s: got %s, want %s", src, got.AppendJSON(nil), want)
		}
	}
	if got := (Projection{}).Apply(item); !got.Equal(item) {
		t.Errorf("the zero Projection selects %s, want the entire item", got.AppendJSON(nil))
	}
}

func TestInvalidProjectionReturnsDynamoDBsMessage(t *testing.T) {
	const paths = "; must remove or rewrite one of these paths; path one: "
	for src, want := range map[string]string{
		"":           "The expression can not be empty;",
		"!!!":        `Syntax error; token: "!", near: "!!"`,
		"a,":         `Syntax error; token: "<EOF>", near: ","`,
		"a b":        `Syntax error; token: "b", near: "a b"`,
		"a.:n":       `Syntax error; token: ":n", near: ".:n"`,
		"a, size":    "Attribute name is a reserved keyword; reserved keyword: size",
		"and":        "Attribute name is a reserved keyword; reserved keyword: and",
		"#x":         "An expression attribute name used in the document path is not defined; attribute name: #x",
		"a, b, a":    "Two document paths overlap with each other" + paths + "[a], path two: [a]",
		"a.b.c, a.b": "Two document paths overlap with each other" + paths + "[a, b, c], path two: [a, b]",
		"a.b, a[1]":  "Two document paths conflict with each other" + paths + "[a, b], path two: [a, [1]]",
	} {
		_, err := ParseProjection(testScope(t), src)
		wantMessage(t, src, err, "Invalid ProjectionExpression: "+want)
	}
}
