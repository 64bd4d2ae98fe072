package host_test

const taskVariable = "HOST_TEST_TASK"

func perform(string) int { return 1 }
