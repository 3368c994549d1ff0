package expr

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// TestCachedExpressionEqualsParsed evaluates the same expressions with different
// names, values and kinds, with a shared cache and without one.
func TestCachedExpressionEqualsParsed(t *testing.T) {
	var known Cache
	one, two, text := attr.Num(attr.NumberOf(1)), attr.Num(attr.NumberOf(2)), attr.String("N")
	names := []map[string]string{{"#a": "x"}, {"#a": "y"}, {"#b": "x"}, nil}
	for range 3 {
		for _, src := range []string{
			"#a = :v", "#a < :v", "#a BETWEEN :v AND :w", "attribute_type(#a, :v)", "begins_with(#a, :v)", "#a IN (:v, :w) AND #a <> :w",
			"SET #a = :v", "SET #a = #a + :v", "ADD #a :v REMOVE y", "SET #a = :v, #a = :w", "x = :v",
		} {
			for _, given := range names {
				for _, v := range []attr.Value{one, two, text} {
					for _, w := range []attr.Value{one, two, text, {}} {
						values := attr.Item{{Name: ":v", Value: v}}
						if w.Kind != attr.Invalid {
							values = append(values, attr.Attribute{Name: ":w", Value: w})
						}
						if got, want := observed(t, &known, src, given, values), observed(t, nil, src, given, values); got != want {
							t.Fatalf("%s with %v and %s:\n got %s with the cache\nwant %s", src, given, values.AppendJSON(nil), got, want)
						}
					}
				}
			}
		}
	}
	if len(known.parsed) == 0 {
		t.Error("the cache is empty, want conditions and updates")
	}
}

// observed parses src as a condition and as an update, and returns all observable
// properties of both.
func observed(t *testing.T, c *Cache, src string, names map[string]string, values attr.Item) string {
	item := attr.Item{{Name: "x", Value: attr.Num(attr.NumberOf(1))}}
	scope := func() *Scope {
		s, err := NewScope(names, values)
		if err != nil {
			t.Fatal(err)
		}
		s.Keep(c)
		return s
	}
	forCondition, forUpdate := scope(), scope()
	condition, err := ParseCondition(forCondition, ConditionExpression, src)
	described := fmt.Sprint(err)
	if err == nil {
		described += fmt.Sprint(condition.Paths(), condition.Eval(item), forCondition.Unused())
	}
	update, err := ParseUpdate(forUpdate, src)
	described += fmt.Sprint(err)
	if err == nil {
		after, err := update.Apply(item)
		described += fmt.Sprint(update.Paths(), update.Targets(), string(after.AppendJSON(nil)), err, forUpdate.Unused())
	}
	return described
}

func TestCacheIsBounded(t *testing.T) {
	var known Cache
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 2 * maxCached {
				name := fmt.Sprintf("n%d_%d", client, i)
				scope, err := NewScope(map[string]string{"#n": name}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				scope.Keep(&known)
				condition, err := ParseCondition(scope, ConditionExpression, "attribute_exists(#n)")
				if err != nil || !condition.Eval(attr.Item{{Name: name, Value: attr.Null()}}) || condition.Eval(nil) {
					t.Errorf("attribute_exists(%s): got error %v or a wrong result, want true only for an item with the attribute", name, err)
				}
			}
		})
	}
	clients.Wait()
	if n := len(known.parsed); n == 0 || n > maxCached {
		t.Errorf("%d expressions are cached, want 1 to %d", n, maxCached)
	}
}
