package expr

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// The placeholders that every test of this package can use.
var testNames = map[string]string{"#name": "name", "#d": "a.b", "#h": "#"}

const testValues = `{
	":n": {"N":"5"}, ":n2": {"N":"10"}, ":s": {"S":"abc"}, ":p": {"S":"ab"}, ":e": {"S":""},
	":b": {"B":"AQI="}, ":bp": {"B":"AQ=="}, ":t": {"BOOL":true}, ":null": {"NULL":true},
	":l": {"L":[{"N":"5"}]}, ":m": {"M":{"x":{"N":"1"}}}, ":ss": {"SS":["a","b"]}, ":ns": {"NS":["5","6"]},
	":bs": {"BS":["AQ=="]}, ":typeS": {"S":"S"}, ":typeL": {"S":"L"}, ":big": {"N":"9E125"}
}`

func parseItem(t testing.TB, text string) attr.Item {
	t.Helper()
	var it attr.Item
	if err := json.Unmarshal([]byte(text), &it); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return it
}

func testScope(t testing.TB) *Scope {
	t.Helper()
	scope, err := NewScope(testNames, parseItem(t, testValues))
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// wantMessage checks that err is a ValidationError with the given message.
func wantMessage(t *testing.T, src string, err error, want string) {
	t.Helper()
	invalid, ok := errors.AsType[*attr.ValidationError](err)
	if !ok || invalid.Message != want {
		t.Errorf("%.120s\n got %v\nwant %s", src, err, want)
	}
}

func TestUnusedPlaceholdersOfARequestAreReportedTogether(t *testing.T) {
	values := attr.Item{{Name: ":a", Value: attr.String("x")}, {Name: ":b", Value: attr.String("y")}, {Name: ":c", Value: attr.String("z")}}
	scope, err := NewScope(map[string]string{"#a": "a", "#b": "b"}, values)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseUpdate(scope, "SET #a = :a"); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, "update", scope.Unused(), "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}")
	if _, err := ParseCondition(scope, ConditionExpression, "attribute_exists(#b)"); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, "condition", scope.Unused(), "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b, :c}")
	if _, err := ParseCondition(scope, FilterExpression, "x IN (:b, :c)"); err != nil {
		t.Fatal(err)
	}
	if err := scope.Unused(); err != nil {
		t.Fatal(err)
	}
}

func TestPlaceholdersAreChecked(t *testing.T) {
	bad := attr.Item{}
	if err := json.Unmarshal([]byte(`{":v":{"SS":[]}}`), &bad); err != nil {
		t.Fatal(err)
	}
	deep := attr.String("x")
	for range attr.MaxDepth {
		deep = attr.List(deep)
	}
	for _, tc := range []struct {
		names  map[string]string
		values attr.Item
		want   string
	}{
		{map[string]string{}, nil, "ExpressionAttributeNames must not be empty"},
		{map[string]string{"a": "x"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "a"`},
		{map[string]string{"#a-b": "x"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"`},
		{map[string]string{"#a": ""}, nil, "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a"},
		{nil, attr.Item{}, "ExpressionAttributeValues must not be empty"},
		{nil, attr.Item{{Name: ":", Value: attr.Null()}}, `ExpressionAttributeValues contains invalid key: Syntax error; key: ":"`},
		{nil, bad, "ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  may not be empty for key :v"},
		{nil, attr.Item{{Name: ":v", Value: deep}}, "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
	} {
		_, err := NewScope(tc.names, tc.values)
		wantMessage(t, tc.want, err, tc.want)
	}
}

func TestReservedWordsInAnyCase(t *testing.T) {
	for _, word := range []string{"name", "NAME", "Status", "ttl", "zone", "abort", "current"} {
		if !isReserved(word) {
			t.Errorf("isReserved(%q) = false, want true", word)
		}
	}
	for _, word := range []string{"pk", "sk", "fileName", "createdAt", "a"} {
		if isReserved(word) {
			t.Errorf("isReserved(%q) = true, want false", word)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a = :n AND NOT (b[0].c < :n2 OR contains(#name, :s))", "SET a.b[1] = if_not_exists(c, :n) + :n REMOVE d ADD e :ss DELETE f :ss",
		"a.b[3].#d, e", "pk = :s AND sk BETWEEN :n AND :n2", "((a = :n))", "((((", "a[99999999999]", "a IN (:n", "SET a = (b - :n)", "é < \xff",
		"attribute_type(a, :typeS) and size(b) >= :n", "begins_with(a, :p)",
	} {
		f.Add(seed)
	}
	item := parseItem(f, `{"pk":{"S":"x"},"a":{"M":{"b":{"L":[{"N":"1"},{"M":{"c":{"SS":["x"]}}}]}}},"b":{"L":[]},"d":{"N":"7"},"e":{"SS":["q"]}}`)
	f.Fuzz(func(t *testing.T, src string) {
		check := func(err error) bool {
			if err == nil {
				return true
			}
			if _, ok := errors.AsType[*attr.ValidationError](err); !ok {
				t.Fatalf("%q: got error %v, want a ValidationError", src, err)
			}
			return false
		}
		if c, err := ParseCondition(testScope(t), FilterExpression, src); check(err) {
			c.Eval(item)
			c.Eval(nil)
		}
		if p, err := ParseProjection(testScope(t), src); check(err) {
			p.Apply(item)
		}
		if k, err := ParseKeyCondition(testScope(t), src); check(err) {
			_, sort, err := k.Resolve(KeyAttribute{"pk", attr.S}, KeyAttribute{"sk", attr.N})
			if check(err) {
				sort.Range([]byte{1})
			}
		}
		if u, err := ParseUpdate(testScope(t), src); check(err) {
			before := attr.EncodeItem(nil, item)
			changed, err := u.Apply(item)
			if check(err) {
				u.Touched(changed)
			}
			if string(attr.EncodeItem(nil, item)) != string(before) {
				t.Fatalf("Apply of %q modified its argument, want it unchanged", src)
			}
		}
	})
}
