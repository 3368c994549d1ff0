package web

import (
	"strings"

	"github.com/danielgtaylor/huma/v2/validation"
)

// plainMessages replaces huma's messages about invalid values, which use the words of JSON Schema, by sentences for people.
// A message follows the name of the field. Those that end with a value of the client are cut by plain.
func plainMessages() {
	for message, sentence := range map[*string]string{
		&validation.MsgExpectedRFC3339DateTime: "must be a time such as 2026-11-20T12:00:00Z",
		&validation.MsgExpectedRFC1123DateTime: "must be a time such as Fri, 20 Nov 2026 12:00:00 GMT",
		&validation.MsgExpectedRFC3339Date:     "must be a date such as 2026-11-20",
		&validation.MsgExpectedRFC3339Time:     "must be a time such as 12:00:00Z",
		&validation.MsgExpectedRFC5322Email:    "must be an e-mail address: %v",
		&validation.MsgExpectedRFC5890Hostname: "must be a host name",
		&validation.MsgExpectedRFC3986URI:      "must be a URL: %v",
		&validation.MsgExpectedRFC4122UUID:     "must be an id such as 0192f7c0-7a3c-7cc1-b111-53f1c30f1c44: %v",
		&validation.MsgExpectedRegexp:          "must be a regular expression: %v",
		&validation.MsgExpectedDuration:        "must be a duration such as 30s: %v",

		&validation.MsgExpectedMatchAtLeastOneSchema: "has none of the possible forms",
		&validation.MsgExpectedMatchExactlyOneSchema: "has none of the possible forms",
		&validation.MsgExpectedNotMatchSchema:        "has a form that is not allowed",

		&validation.MsgExpectedBoolean:      "must be true or false",
		&validation.MsgExpectedNumber:       "must be a number",
		&validation.MsgExpectedInteger:      "must be a whole number",
		&validation.MsgExpectedString:       "must be a text",
		&validation.MsgExpectedBase64String: "must be encoded in Base64",
		&validation.MsgExpectedArray:        "must be a list",
		&validation.MsgExpectedObject:       "must be an object",

		&validation.MsgExpectedArrayItemsUnique:       "must not contain a value twice",
		&validation.MsgExpectedOneOf:                  "must be one of %s",
		&validation.MsgExpectedMinimumNumber:          "must be at least %v",
		&validation.MsgExpectedExclusiveMinimumNumber: "must be above %v",
		&validation.MsgExpectedMaximumNumber:          "must be at most %v",
		&validation.MsgExpectedExclusiveMaximumNumber: "must be below %v",
		&validation.MsgExpectedNumberBeMultipleOf:     "must be a multiple of %v",
		&validation.MsgExpectedMinLength:              "must have at least %d characters",
		&validation.MsgExpectedMaxLength:              "must have at most %d characters",
		&validation.MsgExpectedBePattern:              "must be %s",
		&validation.MsgExpectedMatchPattern:           "must have the form %s",
		&validation.MsgExpectedMinItems:               "must have at least %d entries",
		&validation.MsgExpectedMaxItems:               "must have at most %d entries",
		&validation.MsgExpectedMinProperties:          "must have at least %d members",
		&validation.MsgExpectedMaxProperties:          "must have at most %d members",
	} {
		*message = sentence
	}
}

// plain returns a message without the value of the client, and as a sentence that follows the name of the field.
func plain(message string) string {
	switch {
	case message == "invalid integer":
		return validation.MsgExpectedInteger
	case strings.HasPrefix(message, "invalid float"):
		return validation.MsgExpectedNumber
	case message == "invalid boolean":
		return validation.MsgExpectedBoolean
	case strings.HasPrefix(message, "invalid date/time"):
		return validation.MsgExpectedRFC3339DateTime
	case strings.HasPrefix(message, "required ") && strings.HasSuffix(message, " parameter is missing"):
		return "is required"
	}
	for _, format := range []string{
		validation.MsgExpectedRFC5322Email, validation.MsgExpectedRFC3986URI, validation.MsgExpectedRFC4122UUID,
		validation.MsgExpectedRegexp, validation.MsgExpectedDuration,
	} {
		if sentence, _, _ := strings.Cut(format, ": %v"); strings.HasPrefix(message, sentence+": ") {
			return sentence
		}
	}
	return message
}
