package answer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// measure reads all requests, and converts them as often as asked. It prints the nanoseconds of processor time of that,
// and how many conversions were refused. A conversion begins with JSON and ends with it.
func measure(kinds map[string]Kind, count string) {
	rounds, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	var requests []*request
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		asked, err := parsed(lines.Bytes())
		if err != nil {
			panic(err)
		}
		requests = append(requests, asked)
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
	before, refused := processor(), 0
	for range rounds {
		for _, asked := range requests {
			object, err := asked.convert(kinds)
			if err == nil {
				_, err = json.Marshal(object)
			}
			if err != nil {
				refused++
			}
		}
	}
	fmt.Println(processor()-before, refused)
}

// processor is the processor time of all threads so far, of user and system.
func processor() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
