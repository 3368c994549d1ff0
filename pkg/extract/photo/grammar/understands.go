package grammar

// Understands reports whether Parse recognizes every phrase of a prompt.
func Understands(prompt string) bool {
	_, unknown, err := Parse(prompt)
	return err == nil && len(unknown) == 0
}
