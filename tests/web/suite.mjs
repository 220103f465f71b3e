// A list of tests: test("what", async () => ...), then runTests(). With TIMES in the environment
// each says how long it took.
const tests = [];

export const test = (what, action) => tests.push([what, action]);

export async function runTests() {
    for (const [what, action] of tests) {
        const start = performance.now();
        try {
            await action();
            console.log(`ok ${what}`);
        } catch (error) {
            console.log(
                `not ok ${what}\n    ${String(error.stack ?? error).replace(/\n/g, "\n    ")}`);
        }
        if (process.env.TIMES)
            console.log(`    ${((performance.now() - start) / 1000).toFixed(1)} s`);
    }
}
