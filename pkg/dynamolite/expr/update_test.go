package expr

import (
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

const updateItem = `{
	"pk": {"S":"key"}, "n": {"N":"5"}, "s": {"S":"abc"}, "l": {"L":[{"N":"0"},{"N":"1"},{"N":"2"},{"N":"3"}]},
	"m": {"M":{"x":{"N":"1"},"l":{"L":[{"M":{"y":{"N":"2"}}}]}}}, "ss": {"SS":["a","c"]}, "ns": {"NS":["5"]}, "one": {"SS":["a"]}
}`

// numbers returns a list of single-digit numbers as DynamoDB JSON.
func numbers(digits string) string {
	text := `{"L":[`
	for i, d := range digits {
		if i > 0 {
			text += ","
		}
		text += `{"N":"` + string(d) + `"}`
	}
	return text + "]}"
}

func TestUpdateChangesItsTargetsOnly(t *testing.T) {
	// want maps a name to its new value; "" means that the attribute is removed.
	for _, tc := range []struct {
		src  string
		want map[string]string
	}{
		{"SET n = :n2", map[string]string{"n": `{"N":"10"}`}},
		{"SET x = n, n = :n2", map[string]string{"x": `{"N":"5"}`, "n": `{"N":"10"}`}},
		{"SET n = s, s = n", map[string]string{"n": `{"S":"abc"}`, "s": `{"N":"5"}`}},
		{"SET n = n + :n", map[string]string{"n": `{"N":"10"}`}},
		{"SET n = :n2 - n", map[string]string{"n": `{"N":"5"}`}},
		{"SET n = (n + :n)", map[string]string{"n": `{"N":"10"}`}},
		{"SET n = (n - :n) + :n2", map[string]string{"n": `{"N":"10"}`}},
		{"SET x = if_not_exists(x, :n) + :n", map[string]string{"x": `{"N":"10"}`}},
		{"SET n = if_not_exists(n, :n2) + :n", map[string]string{"n": `{"N":"10"}`}},
		{"SET x = if_not_exists(y, n)", map[string]string{"x": `{"N":"5"}`}},
		{"SET l = list_append(l, :l)", map[string]string{"l": numbers("01235")}},
		{"SET l = list_append(:l, l)", map[string]string{"l": numbers("50123")}},
		{"SET x = list_append(if_not_exists(x, :l), :l)", map[string]string{"x": numbers("55")}},
		{"SET m.x = :n", map[string]string{"m": `{"M":{"x":{"N":"5"},"l":{"L":[{"M":{"y":{"N":"2"}}}]}}}`}},
		{"SET m.l[0].y = :n, m.z = :s", map[string]string{"m": `{"M":{"x":{"N":"1"},"z":{"S":"abc"},"l":{"L":[{"M":{"y":{"N":"5"}}}]}}}`}},
		{"SET m.#d = :n", map[string]string{"m": `{"M":{"x":{"N":"1"},"a.b":{"N":"5"},"l":{"L":[{"M":{"y":{"N":"2"}}}]}}}`}},
		{"SET l[1] = :n", map[string]string{"l": numbers("0523")}},
		{"SET l[9] = n, l[7] = m.x", map[string]string{"l": numbers("012315")}},
		{"REMOVE n", map[string]string{"n": ""}},
		{"REMOVE gone, m.gone, l[9]", nil},
		{"REMOVE l[1]", map[string]string{"l": numbers("023")}},
		{"REMOVE l[1], l[0]", map[string]string{"l": numbers("23")}},
		{"REMOVE l[0] SET l[2] = :n", map[string]string{"l": numbers("153")}},
		{"REMOVE l[0] SET l[8] = :n", map[string]string{"l": numbers("1235")}},
		{"REMOVE m.l[0].y, m.x", map[string]string{"m": `{"M":{"l":{"L":[{"M":{}}]}}}`}},
		{"ADD n :n", map[string]string{"n": `{"N":"10"}`}},
		{"ADD x :n", map[string]string{"x": `{"N":"5"}`}},
		{"ADD m.x :n", map[string]string{"m": `{"M":{"x":{"N":"6"},"l":{"L":[{"M":{"y":{"N":"2"}}}]}}}`}},
		{"ADD ss :ss", map[string]string{"ss": `{"SS":["a","b","c"]}`}},
		{"ADD x :ss", map[string]string{"x": `{"SS":["a","b"]}`}},
		{"ADD ns :ns", map[string]string{"ns": `{"NS":["5","6"]}`}},
		{"DELETE ss :ss", map[string]string{"ss": `{"SS":["c"]}`}},
		{"DELETE one :ss", map[string]string{"one": ""}},
		{"DELETE x :ss", nil},
		{"set n = :n2 remove s add x :n delete ss :ss", map[string]string{"n": `{"N":"10"}`, "s": "", "x": `{"N":"5"}`, "ss": `{"SS":["c"]}`}},
		{"ADD n :n SET x = n REMOVE s", map[string]string{"n": `{"N":"10"}`, "x": `{"N":"5"}`, "s": ""}},
	} {
		before := parseItem(t, updateItem)
		want := parseItem(t, updateItem)
		for name, text := range tc.want {
			want = want.Part(func(other string) bool { return other != name })
			if text != "" {
				want = append(want, attr.Attribute{Name: name, Value: parseItem(t, `{"v":`+text+`}`).Of("v")})
			}
		}
		want = attr.ItemOf(want...)
		u, err := ParseUpdate(testScope(t), tc.src)
		if err != nil {
			t.Errorf("%s: %v", tc.src, err)
			continue
		}
		got, err := u.Apply(before)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s\n got %s, error %v\nwant %s", tc.src, got.AppendJSON(nil), err, want.AppendJSON(nil))
		}
		if !before.Equal(parseItem(t, updateItem)) {
			t.Errorf("%s modified its argument, want it unchanged", tc.src)
		}
	}
}

func TestUpdateThatDoesNotFitTheItemIsRejected(t *testing.T) {
	for src, want := range map[string]error{
		"SET x = gone":                  errMissing,
		"SET x = gone + :n":             errMissing,
		"SET x = list_append(gone, :l)": errMissing,
		"SET x = s + :n":                errOperand,
		"SET x = gone + s":              errOperand,
		"SET x = list_append(n, :l)":    errOperand,
		"SET x.y = :n":                  errPath,
		"SET n.y = :n":                  errPath,
		"SET m[0] = :n":                 errPath,
		"SET l.x = :n":                  errPath,
		"SET l[9].x = :n":               errPath,
		"REMOVE x.y":                    errPath,
		"ADD x.y :n":                    errPath,
		"DELETE x.y :ss":                errPath,
		"ADD s :n":                      errOperand,
		"ADD ss :ns":                    errOperand,
		"ADD n :ns":                     errOperand,
		"DELETE n :ns":                  errOperand,
		"DELETE ss :ns":                 errOperand,
		"SET n = s + :n, x.y = :n":      errOperand,
		"SET x = gone, y.z = :n":        errPath,
		"SET x = :big + :big, y = gone": errMissing,
		"SET x = :big + :big":           invalid("Number overflow. Attempting to store a number with magnitude larger than supported range"),
	} {
		u, err := ParseUpdate(testScope(t), src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		_, err = u.Apply(parseItem(t, updateItem))
		wantMessage(t, src, err, want.Error())
	}
}

func TestInvalidUpdateReturnsDynamoDBsMessage(t *testing.T) {
	const operand = "Incorrect operand type for operator or function; "
	const paths = "; must remove or rewrite one of these paths; path one: "
	for src, want := range map[string]string{
		"":                             "The expression can not be empty;",
		"INVALID SYNTAX HERE":          `Syntax error; token: "INVALID", near: "INVALID SYNTAX"`,
		"SET":                          `Syntax error; token: "<EOF>", near: "SET"`,
		"SET a":                        `Syntax error; token: "<EOF>", near: "a"`,
		"SET a = :n,":                  `Syntax error; token: "<EOF>", near: ","`,
		"SET a = :n b":                 `Syntax error; token: "b", near: ":n b"`,
		"SET a = :n + :n + :n":         `Syntax error; token: "+", near: ":n + :n"`,
		"ADD a b":                      `Syntax error; token: "b", near: "a b"`,
		"SET :n = a":                   `Syntax error; token: ":n", near: "SET :n ="`,
		"SET a = :n SET b = :n":        `The "SET" section can only be used once in an update expression;`,
		"REMOVE a REMOVE b":            `The "REMOVE" section can only be used once in an update expression;`,
		"SET name = :n":                "Attribute name is a reserved keyword; reserved keyword: name",
		"REMOVE a.status":              "Attribute name is a reserved keyword; reserved keyword: status",
		"SET a = foo(b)":               "Invalid function name; function: foo",
		"SET a = size(b)":              "The function is not allowed in an update expression; function: size",
		"SET a = if_not_exists(b)":     "Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1",
		"SET a = if_not_exists(:n, b)": "Operator or function requires a document path; operator or function: if_not_exists",
		"SET a = if_not_exists(b, b)":  "The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: [b]",
		"SET a = #x":                   "An expression attribute name used in the document path is not defined; attribute name: #x",
		"SET #x = :n":                  "An expression attribute name used in the document path is not defined; attribute name: #x",
		"SET a = :x":                   "An expression attribute value used in expression is not defined; attribute value: :x",
		"SET a = :n, a = :n2":          "Two document paths overlap with each other" + paths + "[a], path two: [a]",
		"SET a.b = :n REMOVE a":        "Two document paths overlap with each other" + paths + "[a, b], path two: [a]",
		"SET #name = :n ADD #name :n":  "Two document paths overlap with each other" + paths + "[name], path two: [name]",
		"SET a.b = :n, a[0] = :n":      "Two document paths conflict with each other" + paths + "[a, b], path two: [a, [0]]",
		"SET a = :s + :n":              operand + "operator or function: +, operand type: S",
		"SET a = b - :t":               operand + "operator or function: -, operand type: BOOL",
		"SET a = list_append(b, :n)":   operand + "operator or function: list_append, operand type: N",
		"ADD a :s":                     operand + "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
		"ADD a :l":                     operand + "operator: ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND",
		"DELETE a :n":                  operand + "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
		"DELETE a :m":                  operand + "operator: DELETE, operand type: MAP, typeSet: ALLOWED_FOR_DELETE_OPERAND",
	} {
		_, err := ParseUpdate(testScope(t), src)
		wantMessage(t, src, err, "Invalid UpdateExpression: "+want)
	}
}

func TestUpdateOfANewItem(t *testing.T) {
	u, err := ParseUpdate(testScope(t), "SET a = if_not_exists(a, :n) ADD b :n REMOVE c DELETE d :ss")
	if err != nil {
		t.Fatal(err)
	}
	got, err := u.Apply(nil)
	want := attr.Item{{Name: "a", Value: attr.Num(attr.NumberOf(5))}, {Name: "b", Value: attr.Num(attr.NumberOf(5))}}
	if err != nil || !got.Equal(want) {
		t.Errorf("got %s, error %v, want %s", got.AppendJSON(nil), err, want.AppendJSON(nil))
	}
}

func TestTouchedReturnsTheTargetsOnly(t *testing.T) {
	u, err := ParseUpdate(testScope(t), "SET m.x = :n, y = :n REMOVE l[2], gone")
	if err != nil {
		t.Fatal(err)
	}
	old := parseItem(t, updateItem)
	changed, err := u.Apply(old)
	if err != nil {
		t.Fatal(err)
	}
	if want := parseItem(t, `{"m":{"M":{"x":{"N":"1"}}},"l":{"L":[{"N":"2"}]}}`); !u.Touched(old).Equal(want) {
		t.Errorf("old values: got %s, want %s", u.Touched(old).AppendJSON(nil), want.AppendJSON(nil))
	}
	if want := parseItem(t, `{"m":{"M":{"x":{"N":"5"}}},"y":{"N":"5"},"l":{"L":[{"N":"3"}]}}`); !u.Touched(changed).Equal(want) {
		t.Errorf("new values: got %s, want %s", u.Touched(changed).AppendJSON(nil), want.AppendJSON(nil))
	}
}
