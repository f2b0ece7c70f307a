package v1

// Config configures a program.
type Config struct {
	File string `json:"file"`
}
