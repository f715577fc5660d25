-- Counts pets by day and category, 0 where a snapshot has none.
--
-- Reads the views pets and days (see History.coverage). The column bound says what the number is
-- (exact, at_least, about), or why there is none (no_snapshot, unreadable).
WITH counted AS (
  SELECT date, category_id, count(*) AS pets
  FROM pets
  GROUP BY date, category_id
), categories AS (
  SELECT DISTINCT category_id FROM counted
)
SELECT
  days.date,
  categories.category_id,
  CASE WHEN days.problem IS NULL THEN coalesce(counted.pets, 0) END AS pets,
  coalesce(days.problem, days.bound) AS bound
FROM days
CROSS JOIN categories
LEFT JOIN counted
  ON counted.date = days.date AND counted.category_id = categories.category_id
ORDER BY days.date, categories.category_id
