package main

import (
	"maps"
	"strings"
)

// update draws an update expression with one to four sections.
func (g *generator) update() string {
	sections := []string{}
	targets := map[string]bool{}
	for _, section := range []string{"SET", "REMOVE", "ADD", "DELETE"} {
		if g.oneIn(2) && (section == "SET" || g.oneIn(2)) {
			if s := g.section(section, targets); s != "" {
				sections = append(sections, s)
			}
		}
	}
	if len(sections) == 0 {
		sections = append(sections, g.section("SET", targets))
	}
	g.rng.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	return g.corrupted(strings.Join(sections, " "))
}

// section draws a section. targets are the attributes that the update already
// changes, which it usually avoids. The section is empty if all drawn paths are in
// use.
func (g *generator) section(section string, targets map[string]bool) string {
	actions := []string{}
	for range 1 + g.rng.IntN(3) {
		names, values := maps.Clone(g.names), maps.Clone(g.values)
		action, head := g.action(section)
		if targets[head] && !g.oneIn(100) {
			g.names, g.values = names, values // discard the placeholders of the action
			continue
		}
		actions = append(actions, action)
		targets[head] = true
	}
	if len(actions) == 0 {
		return ""
	}
	return section + " " + strings.Join(actions, ", ")
}

// action draws an action and returns it with the attribute that it changes.
func (g *generator) action(section string) (src, head string) {
	if (section == "ADD" || section == "DELETE") && !g.oneIn(50) {
		head = pick(g, "c", "h", "e", "f", "i")
		if section == "DELETE" || !g.oneIn(2) {
			head = pick(g, "e", "f", "i")
		}
		kind := map[string]string{"c": "N", "h": "N", "e": "SS", "f": "NS", "i": "BS"}[head]
		return g.named(head) + " " + g.ref(g.value(kind, 0)), head
	}
	src, head = g.path()
	if g.transaction && (head == "pk" || head == "sk") {
		src, head = "x", "x" // in a transaction, the rival would change the key
	}
	if section == "REMOVE" {
		return src, head
	}
	// If an index is beyond the end of a list, DynamoDB appends the value, but the
	// rival first fills the gap with NULL. No response would show the difference.
	src = strings.NewReplacer("[1]", "[0]", "[2]", "[0]", "[7]", "[0]").Replace(src)
	if section == "SET" {
		return src + " = " + g.assigned(head), head
	}
	return src + " " + g.ref(g.anyValue(1)), head
}

// assigned draws the right-hand side of a SET action.
func (g *generator) assigned(head string) string {
	switch g.rng.IntN(10) {
	case 0:
		src, _ := g.path()
		return src
	case 1, 2:
		other := pick(g, "c", "c", "c", "h", "x", "d")
		return g.named(other) + pick(g, " + ", " - ") + g.ref(g.value("N", 0))
	case 3:
		return "if_not_exists(" + pick(g, "c", "x", "a.x", "b[0]") + ", " + g.ref(g.value("N", 0)) + ") + " + g.ref(g.value("N", 0))
	case 4:
		return "list_append(" + pick(g, "b", "b", "x", "a.y") + ", " + g.ref(g.value("L", 1)) + ")"
	case 5:
		return "list_append(if_not_exists(b, " + g.ref(g.value("L", 1)) + "), " + g.ref(g.value("L", 1)) + ")"
	case 6:
		return "if_not_exists(" + g.named(head) + ", " + g.operandFor(head) + ")"
	case 7:
		if head == "g" || head == "h" {
			return g.ref(g.keyValue(map[string]string{"g": "S", "h": "N"}[head]))
		}
	}
	return g.ref(g.value(g.kindOf(head), 2))
}
