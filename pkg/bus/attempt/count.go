package attempt

import "fmt"

// Count returns the text for a number of attempts, such as "1 attempt" or "3 attempts".
func Count(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
